/// \file The bin indices of one feature for rows of a node, independent of the storage of bins.
#pragma once

#include <algorithm>
#include <cstdint>

#include "data/bins/bin_matrix.h"
#include "tree/histogram/histogram_adder.h"

namespace kauri {

inline std::int64_t RowAt(RowSlice const& slice, std::int64_t position) {
  return slice.rows == nullptr ? position : static_cast<std::int64_t>(slice.rows[position]);
}

/// Calls fn(code_of), where code_of(row) is the bin index of the feature, or its number of bins if missing.
template <typename Fn>
void WithCodes(BinMatrix const& bins, std::uint32_t feature, Fn&& fn) {
  auto const column = static_cast<std::int64_t>(feature) * bins.NumRows();
  if (!bins.IsDense()) {
    auto const missing = bins.NumBins(feature);
    fn([&bins, feature, missing](std::int64_t row) { return std::min(bins.FindCode(row, feature), missing); });
  } else if (bins.HasByteCodes()) {
    fn([codes = bins.Bytes().columns.data() + column](std::int64_t row) { return std::uint32_t{codes[row]}; });
  } else {
    fn([codes = bins.Words().columns.data() + column](std::int64_t row) { return std::uint32_t{codes[row]}; });
  }
}

}  // namespace kauri
