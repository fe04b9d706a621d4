/// \file How long a row of a GradientTableView is.
#pragma once

#include <cstdint>

namespace kauri {

/// Integers that a row of n takes: whole vectors of 4, or of 8.
inline std::int64_t TableStride(std::int64_t n) { return n <= 4 ? 4 : (n + 7) / 8 * 8; }

}  // namespace kauri
