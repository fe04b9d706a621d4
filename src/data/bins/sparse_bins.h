/// \file The codes of dense rows that differ from their feature's most frequent bin.
///
/// Vocabulary. A feature's usual code is the bin that more than half of the rows have (data/bins/feature_bundles.h). If
/// most features have one (flags, counts that are mostly zero), a histogram is made from lists of each row's other
/// cells. The sums of usual cells are derived from the node's sum: every row has one code of each feature.
///
/// The length of a list is a multiple of kCellsPerStep, so that the processor can predict the end of the loop over it.
/// Usual cells serve as padding, because their sums are derived anyway.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bins/feature_bundles.h"
#include "kauri/context.h"
#include "kauri/span.h"

namespace kauri {

struct SparseBins {
  static constexpr std::uint32_t kCellsPerStep = 4;

  std::vector<std::uint32_t>
      most_frequent;                   ///< [n_cols] usual codes; kNoMostFrequent: every cell of the feature is listed
  std::vector<std::uint32_t> row_ptr;  ///< [n_rows + 1]
  std::vector<std::uint16_t> cells;    ///< [row_ptr.back()]

  bool IsEmpty() const { return row_ptr.empty(); }
};

/// Returns lists for codes in bytes, or none if they would not pay off: more than 0.45 of the cells would be listed,
/// fewer than kCellsPerStep features have a usual code, cells do not fit into 16 bits, or offsets into 32 bits.
/// columns and rows: the same codes in both layouts; row_stride: distance between rows. cell_begin: [n_cols + 1], the
/// first cell of each feature. Scans only the first rows if lists would not pay off, otherwise all rows three times.
/// The ranks of a group, which call it together, all have lists or none, and the same usual codes.
SparseBins ListSparseBins(Context const& ctx, ByteColumns const& columns, std::uint8_t const* rows,
                          std::int64_t row_stride, Span<std::uint32_t const> cell_begin);

}  // namespace kauri
