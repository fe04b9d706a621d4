/// \file The rows of label bins: their residuals, and their order by node.
///
/// ResidualRows has the rows' weights and weighted residuals as the integers of FixedResiduals, in device memory.
///
/// NodeOrder has the rows of a level's nodes, node by node, in ascending order within each node.
///
/// LabelLevel has the label bins of a level. Vocabulary as in tree/absolute_error/label_binner.h.
#pragma once

#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "kauri/host_device.h"
#include "kauri/span.h"
#include "kauri/tree_builder.h"
#include "tree/absolute_error/bin_sides.h"
#include "tree/absolute_error/residual_sum.h"

namespace kauri::cuda {

class ResidualRows {
 public:
  /// Computes the integers. errors: arrays in device memory, [n_rows]. sampled: likewise, 1 = used, or empty. Waits for
  /// the largest weight and product, which determine the units. Costs two passes over the rows.
  void Fix(CudaContext const& cuda, LineErrors const& errors, Span<std::uint8_t const> sampled);

  LineScale const& Scale() const { return scale_; }
  ResidualSum const* Sums() const { return sums_.data(); }  ///< [n_rows]

 private:
  LineScale scale_;
  Buffer<ResidualSum> sums_;
  Buffer<unsigned long long> largest_;  ///< [2]: the bits of a weight and of a product
};

/// Device memory, not owning.
struct RowsByNode {
  std::uint32_t const* nodes = nullptr;  ///< [n_rows], ascending: the nodes of `rows`; n_nodes for rows in no node
  std::uint32_t const* rows = nullptr;   ///< [n_rows]
  std::int64_t const* begin = nullptr;   ///< [n_nodes + 1]: the start of each node's rows
  std::int64_t n_rows = 0;
  std::int32_t n_nodes = 0;
};

class NodeOrder {
 public:
  /// Sorts the rows by node. positions: [n_rows], device (entries/positions.h). sampled: [n_rows], device, 1 = used, or
  /// empty. The result is valid until the next call. Costs a radix sort of 8 bytes a row by the bits of a node's
  /// number.
  RowsByNode Sort(CudaContext const& cuda, Span<std::int32_t const> positions, Span<std::uint8_t const> sampled,
                  std::int32_t n_nodes);

 private:
  Buffer<std::uint32_t> nodes_;
  Buffer<std::uint32_t> sorted_nodes_;
  Buffer<std::uint32_t> rows_;
  Buffer<std::uint32_t> sorted_rows_;
  Buffer<std::int64_t> begin_;
};

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
