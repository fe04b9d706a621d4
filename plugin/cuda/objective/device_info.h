/// \file Labels and weights in device memory; not owning.
#pragma once

#include <cstdint>

#include "kauri/span.h"

namespace kauri::cuda {

struct DeviceInfo {
  std::int64_t n_rows = 0;
  std::int64_t n_targets = 1;
  Span<float const> labels;   ///< [n_rows, n_targets]
  Span<float const> weights;  ///< [n_rows], or empty: all 1
};

}  // namespace kauri::cuda
