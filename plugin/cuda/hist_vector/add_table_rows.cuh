/// \file Splits the rows that a block adds into pieces, each with rows of one node.
#pragma once

#include <cstdint>

#include "cuda/hist/rows/find_stretch.cuh"
#include "cuda/hist_vector/add_table_rows.h"

namespace kauri::cuda {

/// Consecutive rows of one node.
struct RowPieceOfNode {
  std::uint32_t const* list;  ///< row numbers; nullptr: consecutive from `begin` on
  std::uint32_t begin;
  std::uint32_t count;

  __device__ std::uint32_t Number(std::uint32_t place) const { return list == nullptr ? begin + place : list[place]; }
};

/// Returns the node that a row of the plan belongs to.
__device__ __forceinline__ std::uint32_t NodeOfRow(Span<LaidRows const> plan, std::uint32_t row) {
  return FindStretch(static_cast<std::uint32_t>(plan.size()), row,
                     [&](std::uint32_t node) { return plan.data()[node].first_row; });
}

/// One of `n_ranges` equal ranges of the rows of all nodes.
struct RowRangeOfBlock {
  Span<LaidRows const> plan;
  std::uint32_t begin;
  std::uint32_t end;
  std::uint32_t node = 0;

  __device__ RowRangeOfBlock(Span<LaidRows const> of_nodes, std::uint32_t index, std::uint32_t n_ranges)
      : plan(of_nodes) {
    LaidRows const& last = plan.data()[plan.size() - 1];
    auto const n_rows = static_cast<std::uint64_t>(last.first_row) + last.count;
    begin = static_cast<std::uint32_t>(n_rows * index / n_ranges);
    end = static_cast<std::uint32_t>(n_rows * (index + 1) / n_ranges);
    if (begin < end) node = NodeOfRow(plan, begin);
  }

  __device__ bool IsDone() const { return begin >= end; }
  /// Returns the node of the next piece.
  __device__ std::uint32_t Node() const { return node; }
  /// Returns the next piece, of at most `most` rows; it may be empty.
  __device__ RowPieceOfNode Next(RowPointers const& lists, std::uint32_t most) {
    LaidRows const rows = plan.data()[node];
    std::uint32_t const skipped = begin - rows.first_row;
    std::uint32_t const count = min(min(rows.count - skipped, end - begin), most);
    std::uint32_t const* const list = rows.buffer < 0 ? nullptr : lists.Of(rows.buffer) + rows.begin + skipped;
    begin += count;
    if (begin == rows.first_row + rows.count) ++node;
    return {list, rows.begin + skipped, count};
  }
};

}  // namespace kauri::cuda
