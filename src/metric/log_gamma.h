/// \file ln Gamma(x) with the same bits everywhere, see common/math.h.
#pragma once

#include "common/math.h"
#include "kauri/host_device.h"

namespace kauri {

/// Returns ln Gamma(x) for x >= 0, NaN otherwise; error below 1e-13 absolute or relative, whichever is larger.
/// Uses Gamma(x) = Gamma(x + n) / (x (x + 1) ... (x + n - 1)) up to x + n >= 10, then Stirling's series with five
/// terms.
KAURI_HD double LogGamma(double x) {
  if (!(x >= 0.0)) return detail::BitsToDouble(0x7FF8000000000000ULL);
  if (x > 1e300) return detail::Infinity();
  double product = 1.0;
  while (x < 10.0) {
    product *= x;
    x += 1.0;
  }
  double const inverse = 1.0 / x;
  double const square = inverse * inverse;
  double series = 1.0 / 1188.0;
  series = series * square - 1.0 / 1680.0;
  series = series * square + 1.0 / 1260.0;
  series = series * square - 1.0 / 360.0;
  series = series * square + 1.0 / 12.0;
  double const half_log_two_pi = 0.91893853320467274;
  return (x - 0.5) * Log(x) - x + half_log_two_pi + series * inverse - Log(product);
}

}  // namespace kauri
