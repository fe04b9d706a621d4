/// \file The codes of dense rows that are not their features' most frequent ones.
///
/// Vocabulary. As in data/bins/feature_bundles.h, a feature's usual code is the one that more than half of the rows
/// have. Where most features have one (flags, counts that are mostly zero), a histogram is made from lists of each
/// row's other cells, and the sums of usual cells are derived from the node's: every row has one code of each feature.
///
/// A list is as long as a multiple of kCellsPerStep, so that the loop over it ends where the processor expects it; what
/// fills it up are usual cells, whose sums are derived anyway.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bins/feature_bundles.h"
#include "kauri/context.h"
#include "kauri/span.h"

namespace kauri {

struct UnusualCells {
  static constexpr std::uint32_t kCellsPerStep = 4;

  std::vector<std::uint32_t> usual;    ///< [n_cols] usual codes; kNoUsual: every cell of the feature is listed
  std::vector<std::uint32_t> row_ptr;  ///< [n_rows + 1]
  std::vector<std::uint16_t> cells;    ///< [row_ptr.back()]

  bool IsEmpty() const { return row_ptr.empty(); }
};

/// Lists for codes in bytes, or none where they would not pay: because a row would have more than 0.45 of its cells in
/// them, fewer than kCellsPerStep features have a usual code, or cells do not fit into 16 bits.
/// columns and rows: the same codes; row_stride: from row to row. cell_begin: [n_cols + 1], the first cell of each
/// feature. Costs a look at the first rows where they would not pay, otherwise two at all. The ranks of a group, which
/// call it together, all have lists or none, and the same usual codes.
UnusualCells ListUnusualCells(Context const& ctx, ByteColumns const& columns, std::uint8_t const* rows,
                              std::int64_t row_stride, Span<std::uint32_t const> cell_begin);

}  // namespace kauri
