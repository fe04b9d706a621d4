/// \file The row length of a GradientTableView.
#pragma once

#include <cstdint>

namespace kauri {

/// Returns the stride of a row of n integers: 4, or n rounded up to a multiple of 8, so that rows are whole vectors.
inline std::int64_t TableStride(std::int64_t n) { return n <= 4 ? 4 : (n + 7) / 8 * 8; }

}  // namespace kauri
