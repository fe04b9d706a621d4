/// \file Accelerated failure time: ln(time) = margin + scale * noise, for survival:aft and its metrics (Barnwal, Cho
/// and Hocking, "Survival regression with accelerated failure time model in XGBoost", 2022).
///
/// Vocabulary. The time of a row lies in [lower, upper]: if lower == upper it is known exactly; lower = 0 (or
/// -infinity) and upper = infinity leave that side open. z = (ln(bound) - margin) / scale; D is the probability of the
/// noise between the two z, f its density. The loss is -ln(D), or -ln(f(z) / (scale time)) for a known time.
///
/// Derivatives with respect to the margin are (f(z_u) - f(z_l)) / D / scale and so on. Each distribution divides a
/// common factor out, so that no quotient of two vanishing numbers remains for any margin. Gradients are limited to
/// +-15 and hessians to [1e-16, 15], as in XGBoost.
///
/// The tail of the normal distribution with the same bits everywhere, see common/math.h.
#pragma once

#include "common/math.h"
#include "kauri/gradient.h"
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

/// First and second derivative of the loss for scale 1.
struct AftDerivatives {
  double first;
  double second;
};

struct NormalNoise {
  KAURI_HD static double Density(double z) { return NormalDensity(z); }
  KAURI_HD static double Between(double lower, double upper) {
    bool const mirrored = lower + upper < 0.0;
    double const near = mirrored ? -upper : lower;
    double const far = mirrored ? -lower : upper;
    return near > 0.0 ? NormalTail(near) - NormalTail(far) : 1.0 - NormalTail(-near) - NormalTail(far);
  }
  KAURI_HD static AftDerivatives AtTime(double z) { return {-z, 1.0}; }
  /// Computes the derivatives for an interval; the side with the larger tail is mirrored to the right.
  KAURI_HD static AftDerivatives InInterval(double lower, double upper) {
    if (lower + upper >= 0.0) return Right(lower, upper);
    AftDerivatives const mirrored = Right(-upper, -lower);
    return {-mirrored.first, mirrored.second};
  }
  /// Computes the derivatives for lower + upper >= 0. Densities and D are relative to the density at `lower` if that
  /// density may vanish.
  KAURI_HD static AftDerivatives Right(double lower, double upper) {
    upper = upper < kFar ? upper : kFar;
    double at_lower = 1.0;
    double at_upper = 0.0;
    double between = 0.0;
    if (lower > 0.0) {
      if (!(upper > lower)) return AtTime(lower);
      at_upper = Exp(-0.5 * (upper - lower) * (upper + lower));
      between = MillsRatio(lower) - at_upper * MillsRatio(upper);
    } else {
      lower = lower > -kFar ? lower : -kFar;
      at_lower = NormalDensity(lower);
      at_upper = NormalDensity(upper);
      between = Between(lower, upper);
    }
    double const first = (at_upper - at_lower) / between;
    return {first, first * first + (upper * at_upper - lower * at_lower) / between};
  }
  static constexpr double kFar = 1e10;  ///< in place of infinity, whose product with a density of 0 is NaN
};

struct LogisticNoise {
  KAURI_HD static double Below(double z) { return 1.0 / (1.0 + Exp(-z)); }
  KAURI_HD static double Density(double z) { return Below(z) * Below(-z); }
  KAURI_HD static double Between(double lower, double upper) {
    return lower + upper < 0.0 ? Below(upper) - Below(lower) : Below(-lower) - Below(-upper);
  }
  KAURI_HD static AftDerivatives AtTime(double z) { return InInterval(z, z); }
  /// Computes the derivatives for an interval. Because f = F (1 - F), D cancels.
  KAURI_HD static AftDerivatives InInterval(double lower, double upper) {
    return {Below(-upper) - Below(lower), Density(lower) + Density(upper)};
  }
};

/// The noise of a minimum, Gumbel's distribution mirrored: P(noise > z) = e^-(e^z).
struct ExtremeNoise {
  static constexpr double kLargest = 30.0;  ///< largest z: beyond it, derivatives are at their limits
  KAURI_HD static double Rate(double z) { return Exp(z < kLargest ? z : kLargest); }
  KAURI_HD static double Density(double z) { return Rate(z) * Exp(-Rate(z)); }
  /// Returns 1 - e^-x for x >= 0.
  KAURI_HD static double Fall(double x) {
    return x < 1e-4 ? x * (1.0 - x * (0.5 - x * (1.0 / 6.0 - x / 24.0))) : 1.0 - Exp(-x);
  }
  KAURI_HD static double Between(double lower, double upper) {
    double const rate = Rate(lower);
    return Exp(-rate) * Fall(Rate(upper) - rate);
  }
  KAURI_HD static AftDerivatives AtTime(double z) { return {1.0 - Rate(z), Rate(z)}; }
  /// Computes the derivatives for an interval. Densities and D are relative to e^-Rate(lower).
  KAURI_HD static AftDerivatives InInterval(double lower, double upper) {
    double const low = Rate(lower);
    double const high = Rate(upper);
    if (!(high > low)) return AtTime(lower);
    double const fall = Fall(high - low);
    double const left = Exp(low - high);  // 0 without an upper bound, except for a time far below the lower bound
    double const first = (high * left - low) / fall;
    return {first, first * first - first + (high * high * left - low * low) / fall};
  }
};

struct AftLoss {
  enum Noise { kNormal = 0, kLogistic = 1, kExtreme = 2 };
  static constexpr double kMinLikelihood = 1e-12;
  static constexpr double kMaxGradient = 15.0;
  static constexpr double kMinHessian = 1e-16;
  static constexpr double kMaxHessian = 15.0;

  int noise;
  double scale;

  KAURI_HD GradientPair Gradient(float margin, float lower, float upper, float weight) const {
    AftDerivatives const at = Derivatives(margin, lower, upper);
    double const first = Limit(at.first / scale, -kMaxGradient, kMaxGradient);
    double const second = Limit(at.second / (scale * scale), kMinHessian, kMaxHessian);
    return {static_cast<float>(first) * weight, static_cast<float>(second) * weight};
  }

  /// Returns the loss. Likelihoods below kMinLikelihood are replaced by it.
  KAURI_HD float operator()(float margin, float lower, float upper) const {
    double const low = Standard(margin, lower);
    double const high = Standard(margin, upper);
    double const likelihood = lower == upper ? Density(low) / (scale * static_cast<double>(lower)) : Between(low, high);
    return static_cast<float>(-Log(likelihood < kMinLikelihood ? kMinLikelihood : likelihood));
  }

  /// Returns the standardised bound z; minus infinity for the bound 0 or minus infinity, infinity for infinity.
  KAURI_HD double Standard(float margin, float bound) const {
    return (Log(static_cast<double>(bound < 0.0F ? 0.0F : bound)) - static_cast<double>(margin)) / scale;
  }

 private:
  /// Clamps `value`; a NaN stays NaN.
  KAURI_HD static double Limit(double value, double low, double high) {
    return value < low ? low : value > high ? high : value;
  }
  KAURI_HD double Density(double z) const {
    if (noise == kLogistic) return LogisticNoise::Density(z);
    return noise == kNormal ? NormalNoise::Density(z) : ExtremeNoise::Density(z);
  }
  KAURI_HD double Between(double low, double high) const {
    if (noise == kLogistic) return LogisticNoise::Between(low, high);
    return noise == kNormal ? NormalNoise::Between(low, high) : ExtremeNoise::Between(low, high);
  }
  KAURI_HD AftDerivatives Derivatives(float margin, float lower, float upper) const {
    double const low = Standard(margin, lower);
    double const high = Standard(margin, upper);
    if (lower == upper) {
      if (noise == kLogistic) return LogisticNoise::AtTime(low);
      return noise == kNormal ? NormalNoise::AtTime(low) : ExtremeNoise::AtTime(low);
    }
    if (noise == kLogistic) return LogisticNoise::InInterval(low, high);
    return noise == kNormal ? NormalNoise::InInterval(low, high) : ExtremeNoise::InInterval(low, high);
  }
};

}  // namespace kauri
