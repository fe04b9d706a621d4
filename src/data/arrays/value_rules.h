/// \file Conversion of a caller's values to the library's: `missing` becomes NaN, infinity is refused.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "data/arrays/array_dispatch.h"
#include "kauri/context.h"
#include "kauri/error.h"

namespace kauri {

constexpr float kMissingValue = std::numeric_limits<float>::quiet_NaN();

[[noreturn]] inline void FailInfinite(std::int64_t row, std::int64_t col, float value) {
  Fail(ErrorKind::kData, "Input data contains `inf` or a value too large: row ", row, ", column ", col, " is ", value,
       " as float32; features must be finite. Replace it with NaN or a bound, or pass missing=", value, ".");
}

namespace detail {

template <typename T, bool kContiguous>
bool ConvertValues(char const* from, std::int64_t stride, std::int64_t n, float missing, float* to) {
  auto infinite = 0U;
  for (std::int64_t i = 0; i < n; ++i) {
    auto const* address = from + i * (kContiguous ? static_cast<std::int64_t>(sizeof(T)) : stride);
    auto const value = static_cast<float>(LoadElement<T>(address));
    auto const kept = value == missing ? kMissingValue : value;
    infinite |= static_cast<unsigned>(std::fabs(kept) == std::numeric_limits<float>::infinity());
    to[i] = kept;
  }
  return infinite != 0U;
}

}  // namespace detail

/// Converts n values that lie `stride` bytes apart to float32, with NaN for `missing`. Returns true if an infinite
/// value remains, which the caller then reports: detecting it here is free, locating it is rare.
template <typename T>
bool ConvertValues(char const* from, std::int64_t stride, std::int64_t n, float missing, float* to) {
  return stride == static_cast<std::int64_t>(sizeof(T)) ? detail::ConvertValues<T, true>(from, stride, n, missing, to)
                                                        : detail::ConvertValues<T, false>(from, stride, n, missing, to);
}

/// Reports the first infinite value of [n_rows, n_cols] values, the first of which belongs to row `first_row`. Returns
/// if there is none.
void FailAtInfinite(float const* values, std::int64_t first_row, std::int64_t n_rows, std::int64_t n_cols);

/// Some rows of a table.
struct RowsOfTable {
  std::int64_t first_row;
  std::int64_t n_rows;
  std::int64_t n_cols;
};

/// Counts the values of these rows that are not NaN. \throws Error(kData) for infinite values.
std::int64_t CountFinite(RowsOfTable const& rows, float const* values);

/// Does the same for all rows, [n_rows, n_cols], on all threads.
std::int64_t CountFinite(Context const& ctx, float const* values, std::int64_t n_rows, std::int64_t n_cols);

}  // namespace kauri
