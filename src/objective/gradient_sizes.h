/// \file The size check at the beginning of every loop over gradients.
#pragma once

#include <cstdint>

#include "kauri/error.h"
#include "kauri/gradient.h"
#include "kauri/span.h"

namespace kauri {

/// \throws Error(kInternal) unless there are n_expected margins and n_expected outputs.
inline void CheckGradientSizes(std::size_t n_expected, Span<float const> margins, Span<GradientPair> out) {
  if (margins.size() == n_expected && out.size() == n_expected) return;
  Fail(ErrorKind::kInternal, "expected ", n_expected, " margins and as many gradient pairs, got ", margins.size(),
       " margins and ", out.size(), " gradient pairs");
}

}  // namespace kauri
