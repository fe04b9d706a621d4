/// \file The label bins of a level's nodes, as LabelBinner makes them, and the sum of each bin.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/exact/label_bins/label_rows.h"
#include "cuda/exact/label_bins/label_types.h"

namespace kauri::cuda {

/// Device memory, not owning.
struct NodeBinsTask {
  RowsByNode rows;
  LineScale scale;
  float const* residuals = nullptr;    ///< [n_rows]
  ResidualSum const* sums = nullptr;   ///< [n_rows]
  double const* shares = nullptr;      ///< [kLabelBins - 1]: SharesOfEdges
  float* edges = nullptr;              ///< scratch, [n_nodes, kLabelBins]
  std::uint8_t* bin_of_row = nullptr;  ///< (out) [n_rows], set for rows in a node
  ResidualSum* node_bins = nullptr;    ///< (out) [n_nodes, kLabelBins]
  NodeLabels* nodes = nullptr;         ///< (out) [n_nodes]
};

/// Finds the label bins of all nodes.
/// 1. A block sorts a sample of a node's rows and picks the edges.
/// 2. Each row's bin is searched among the edges, and the bins are added up.
/// 3. The errors of a node follow from its bins.
/// Costs a sort of at most 4,096 residuals per node, and 29 bytes a row.
void FindNodeBins(CudaContext const& cuda, NodeBinsTask const& task);

}  // namespace kauri::cuda
