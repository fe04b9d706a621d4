/// \file Finds the leaf of every row by traversing the finished tree, or the trees of a round, over the codes.
///
/// This replaces the last partition of the rows and the writing of leaves from the nodes' lists. Rows are read in their
/// order, each sector of codes once, and leaves are written side by side. Lists would write four bytes at scattered
/// places (10 M rows on an H200: 531 us for that alone). Rows that were not sampled get their leaves in the same pass.
///
/// Bytes per row: its codes, and 4. A step of a row costs one read of shared memory and one of the first-level cache,
/// which holds the codes of the warp's rows after the first step.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/row_codes.h"
#include "kauri/host_device.h"

namespace kauri::cuda {

/// A node of a tree; the right child follows the left one.
struct alignas(16) WalkNode {
  static constexpr std::uint32_t kCategorical = 0x80000000U;

  std::int32_t left = -1;         ///< -1: a leaf
  std::uint32_t feature = 0;      ///< with kCategorical set if categories decide
  std::uint32_t first_right = 0;  ///< or the offset of the categories' bits, in words
  std::uint32_t missing = 0;      ///< 2 * n_bins, plus 1 if missing values go left

  KAURI_HD bool GoesLeft(std::uint32_t code, std::uint32_t const* category_bits) const {
    if (code >= missing / 2) return (missing & 1U) != 0;
    if ((feature & kCategorical) == 0) return code < first_right;
    return (category_bits[first_right + code / 32] >> (code % 32) & 1U) == 0;
  }
};

struct WalkTask {
  CodeView codes;
  FeaturePlace const* places;  ///< [n_cols]
  std::uint32_t width;         ///< bytes per row if all codes are one group without bundles, otherwise 0
  WalkNode const* nodes;       ///< [n_trees, n_nodes], from the root on; unreachable nodes are not read
  std::uint32_t n_nodes;
  std::uint32_t const* category_bits;  ///< 1: the category goes right
  std::int64_t n_rows;
  std::int32_t* leaf_of_row;  ///< (out) [n_trees, n_rows]
  std::uint32_t n_trees = 1;
};

/// All arrays are on the device.
void WalkCodes(CudaContext const& cuda, WalkTask const& task);

}  // namespace kauri::cuda
