/// \file Types shared by the kernels of label bins. Vocabulary as in tree/absolute_error/label_binner.h.
#pragma once

#include <cstdint>

#include "kauri/host_device.h"
#include "tree/absolute_error/bin_sides.h"

namespace kauri::cuda {

/// All rows of a node.
struct NodeLabels {
  ResidualSum all;
  double errors = 0.0;  ///< errors of the best constant
};

/// The label bins of a level's nodes. Device memory, not owning. Members by row have no meaning for rows that are in no
/// node.
struct LabelLevel {
  LineScale scale;
  std::uint8_t const* bin_of_row = nullptr;  ///< [n_rows]
  ResidualSum const* sum_of_row = nullptr;   ///< [n_rows]
  ResidualSum const* node_bins = nullptr;    ///< [n_nodes, kLabelBins]
  NodeLabels const* nodes = nullptr;         ///< [n_nodes]
};

}  // namespace kauri::cuda
