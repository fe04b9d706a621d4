/// \file The tail of the normal distribution with the same bits everywhere, see common/math.h.
#pragma once

#include "common/math.h"
#include "kauri/host_device.h"

namespace kauri {

KAURI_HD double NormalDensity(double z) { return 0.39894228040143268 * Exp(-0.5 * z * z); }

/// Returns Mills' ratio: P(Z > z) / NormalDensity(z), for 0 <= z < 1e300. Neither part underflows, the ratio tends to 1
/// / z. Relative error below 1e-15. (z + 1.5) ratio(z) is smooth in t = (z - 5) / (z + 5), which maps the half-line to
/// [-1, 1): its Chebyshev series to degree 23, computed with 50 digits, is summed by Clenshaw's recurrence.
KAURI_HD double MillsRatio(double z) {
  constexpr double kCoefficients[] = {
      1.35320857421018191,       -0.439060272195857213,   0.0944157116001023823,    -0.00461462610189983753,
      -0.00656564058492757605,   0.00348016538027055953,  -0.00104989284399031125,  0.000209569039262956035,
      -0.0000237831434708969528, -3.63813183353236015e-7, 6.42405531463357180e-7,   -7.83414328833115994e-8,
      -8.66889333095576466e-9,   3.14441900401271307e-9,  7.17519045105080603e-12,  -1.01407287483049534e-10,
      5.18707097793568829e-12,   3.31726172832104210e-12, -2.81953958890930222e-13, -1.18962294808480828e-13,
      1.16428118793271993e-14,   4.76768294717228749e-15, -4.12496912453280981e-16, -2.09482553693386990e-16};
  constexpr int kDegree = 23;
  double const t = (z - 5.0) / (z + 5.0);
  double next = 0.0;
  double after = 0.0;
  for (int k = kDegree; k > 0; --k) {
    double const current = 2.0 * t * next - after + kCoefficients[k];
    after = next;
    next = current;
  }
  return (t * next - after + kCoefficients[0]) / (z + 1.5);
}

/// Returns P(Z > z); relative error below 1e-13 until it underflows.
KAURI_HD double NormalTail(double z) {
  double const size = z < 0.0 ? -z : z;
  double const tail = NormalDensity(size) * MillsRatio(size < 1e100 ? size : 1e100);
  return z < 0.0 ? 1.0 - tail : tail;
}

}  // namespace kauri
