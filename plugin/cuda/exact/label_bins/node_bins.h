/// \file The label bins of a level's nodes, as LabelBinner has them, and what each holds.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/exact/label_bins/label_types.h"
#include "cuda/exact/label_bins/node_order.h"

namespace kauri::cuda {

/// Device memory, not owning.
struct NodeBinsTask {
  RowsByNode rows;
  LineScale scale;
  float const* residuals = nullptr;    ///< [n_rows]
  ResidualSum const* sums = nullptr;   ///< [n_rows]
  double const* shares = nullptr;      ///< [kLabelBins - 1]: SharesOfEdges
  float* edges = nullptr;              ///< scratch, [n_nodes, kLabelBins]
  std::uint8_t* bin_of_row = nullptr;  ///< (out) [n_rows]: of rows in a node
  ResidualSum* node_bins = nullptr;    ///< (out) [n_nodes, kLabelBins]
  NodeLabels* nodes = nullptr;         ///< (out) [n_nodes]
};

/// 1. A block sorts some of a node's rows and picks the edges.
/// 2. Each row's bin is sought among them, and the bins are added up.
/// 3. The errors of a node follow from its bins.
/// Costs a sort of 4,096 residuals at most a node, and 29 bytes a row.
void FindNodeBins(CudaContext const& cuda, NodeBinsTask const& task);

}  // namespace kauri::cuda
