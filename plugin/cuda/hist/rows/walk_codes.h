/// \file The leaf of every row, by walking the finished tree, or those of a round, over the codes.
///
/// It stands in for the last partition of the rows, and for telling rows their leaves by the nodes' lists: rows are
/// read in their order, each sector of codes once, and leaves are written side by side, where lists would write four
/// bytes here and there (10 M rows on an H200: 531 us for that alone). Rows that were not sampled get their leaves on
/// the way.
///
/// Bytes per row: those of its codes, and 4. A step of a row costs a read of shared memory and one of the first-level
/// cache, which has the codes of the warp's rows after the first step.
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
  std::uint32_t feature = 0;      ///< with kCategorical where categories decide
  std::uint32_t first_right = 0;  ///< or where the bits of the categories begin
  std::uint32_t missing = 0;      ///< 2 * n_bins, plus 1 where the missing go left

  KAURI_HD bool GoesLeft(std::uint32_t code, std::uint32_t const* category_bits) const {
    if (code >= missing / 2) return (missing & 1U) != 0;
    if ((feature & kCategorical) == 0) return code < first_right;
    return (category_bits[first_right + code / 32] >> (code % 32) & 1U) == 0;
  }
};

struct WalkTask {
  CodeView codes;
  FeaturePlace const* places;  ///< [n_cols]
  std::uint32_t width;         ///< of a row, where its codes are those of one group without bundles; 0: they are not
  WalkNode const* nodes;       ///< [n_trees, n_nodes], from the root on; those that it does not lead to are not read
  std::uint32_t n_nodes;
  std::uint32_t const* category_bits;  ///< 1: goes right
  std::int64_t n_rows;
  std::int32_t* leaf_of_row;  ///< (out) [n_trees, n_rows]
  std::uint32_t n_trees = 1;
};

/// All arrays are on the device.
void WalkCodes(CudaContext const& cuda, WalkTask const& task);

}  // namespace kauri::cuda
