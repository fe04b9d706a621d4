/// \file Images of consecutive numbers under VariablePhilox, several at a time.
#pragma once

#include <cstdint>

#include "common/shuffle/variable_philox.h"

namespace kauri {

/// Writes to kept [n] the images of first .. first + n - 1 that are below `bound`, in order. Returns their number; the
/// rest of `kept` is overwritten.
std::int64_t KeepPhiloxImages(VariablePhilox const& bijection, std::uint64_t first, std::int64_t n, std::uint64_t bound,
                              std::uint64_t* kept);

}  // namespace kauri
