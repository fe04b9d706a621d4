#include "common/distribution/special_functions.h"

#include <cmath>

#include "common/host_math.h"

namespace kauri::distribution {
namespace {

constexpr double kHalfLogTwoPi = 0.91893853320467274178;
constexpr double kTiny = 1e-300;
constexpr double kPrecision = 1e-16;
constexpr int kMostTerms = 100000;  ///< series end much earlier: after about 10 roots of the shape
/// Larger shapes and degrees of freedom have expansions, whose first omitted term is below 1e-12.
constexpr double kUniformFrom = 1e5;
constexpr double kUniformWithin = 0.15;  ///< largest |x / shape - 1| of these; tails beyond it are 0
/// Asymptotic series are used from here on, where their first omitted term is below 1e-17.
constexpr double kLarge = 12.0;

/// ln(Gamma(x)) - (x - 1/2) ln x + x - ln(2 pi) / 2 for large x: Stirling's series.
double StirlingRest(double x) {
  double const inverse = 1.0 / x;
  double const z = inverse * inverse;
  return inverse *
         (1.0 / 12.0 -
          z * (1.0 / 360.0 -
               z * (1.0 / 1260.0 - z * (1.0 / 1680.0 - z * (1.0 / 1188.0 - z * (691.0 / 360360.0 - z / 156.0))))));
}

/// x^a e^-x / Gamma(a + 1), without overflow or loss of digits for large a.
double GammaFactor(double a, double x) {
  if (x == 0.0) return 0.0;
  if (a < kLarge) return Exp(a * Log(x) - x - LogGamma(a + 1.0));
  // With u = (x - a) / a: x^a e^-x / (a^a e^-a) = e^(a (ln(1 + u) - u)).
  double const u = (x - a) / a;
  double const exponent = std::fabs(u) < 0.5 ? a * (LogOfOnePlus(u) - u) : a * Log(x / a) - x + a;
  return Exp(exponent - StirlingRest(a)) / std::sqrt(2.0 * kPi * a);
}

double GammaSeries(double a, double x, double factor) {
  double term = 1.0;
  double sum = 1.0;
  for (int k = 1; k < kMostTerms && term > sum * kPrecision; ++k) {
    term *= x / (a + k);
    sum += term;
  }
  return factor * sum;
}

double GammaFraction(double a, double x, double factor) {
  double b = x + 1.0 - a;
  double c = 1.0 / kTiny;
  double d = 1.0 / b;
  double h = d;
  for (int k = 1; k < kMostTerms; ++k) {
    double const numerator = -k * (k - a);
    b += 2.0;
    d = numerator * d + b;
    d = std::fabs(d) < kTiny ? kTiny : d;
    c = b + numerator / c;
    c = std::fabs(c) < kTiny ? kTiny : c;
    d = 1.0 / d;
    double const step = d * c;
    h *= step;
    if (std::fabs(step - 1.0) < 2.0 * kPrecision) break;
  }
  return factor * a * h;
}

/// The continued fraction of the incomplete beta function, for x below (a + 1) / (a + b + 2).
double BetaFraction(double a, double b, double x) {
  double c = 1.0;
  double d = 1.0 - (a + b) * x / (a + 1.0);
  d = 1.0 / (std::fabs(d) < kTiny ? kTiny : d);
  double h = d;
  for (int m = 1; m < kMostTerms; ++m) {
    auto const advance = [&](double numerator) {
      d = 1.0 + numerator * d;
      d = 1.0 / (std::fabs(d) < kTiny ? kTiny : d);
      c = 1.0 + numerator / c;
      c = std::fabs(c) < kTiny ? kTiny : c;
      h *= d * c;
    };
    advance(m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m)));
    advance(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0)));
    if (std::fabs(d * c - 1.0) < 2.0 * kPrecision) break;
  }
  return h;
}

/// The lower tail for x below the mean; rest = 1 - x with its own precision.
double LowerBeta(double a, double b, double x, double rest) {
  if (x <= 0.0) return 0.0;
  return Exp(a * Log(x) + b * (x < 0.5 ? LogOfOnePlus(-x) : Log(rest)) - LogBeta(a, b)) * BetaFraction(a, b, x) / a;
}

Tails BetaTailsOf(double a, double b, double x, double rest) {
  if (x < (a + 1.0) / (a + b + 2.0)) {
    double const lower = LowerBeta(a, b, x, rest);
    return {lower, 1.0 - lower};
  }
  double const upper = LowerBeta(b, a, rest, x);
  return {1.0 - upper, upper};
}

/// Temme's expansion for large shapes, uniform in x: a normal tail and the first two terms of its correction (Temme
/// 1979, "The asymptotic expansion of the incomplete gamma functions").
Tails UniformGammaTails(double a, double x) {
  double const u = (x - a) / a;
  if (std::fabs(u) > kUniformWithin) return u < 0.0 ? Tails{0.0, 1.0} : Tails{1.0, 0.0};
  double sum = 0.0;  // (u - ln(1 + u)) / u^2
  for (int k = 21; k >= 0; --k) sum = 1.0 / (k + 2) - u * sum;
  double const eta = u * std::sqrt(2.0 * sum);
  constexpr double kFirst[] = {-1.0 / 3.0,   1.0 / 12.0,        -2.0 / 135.0,  1.0 / 864.0,
                               1.0 / 2835.0, -139.0 / 777600.0, 1.0 / 25515.0, -571.0 / 261273600.0};
  constexpr double kSecond[] = {-1.0 / 540.0, -1.0 / 288.0, 1.0 / 378.0, -77.0 / 77760.0};
  double correction = 0.0;
  for (int k = 7; k >= 0; --k) correction = correction * eta + kFirst[k];
  double second = 0.0;
  for (int k = 3; k >= 0; --k) second = second * eta + kSecond[k];
  correction = (correction + second / a) * NormalDensity(eta * std::sqrt(a)) / std::sqrt(a);
  auto const normal = NormalTails(eta * std::sqrt(a));
  return {normal.lower - correction, normal.upper + correction};
}

}  // namespace

double LogGamma(double x) {
  double product = 1.0;
  while (x < kLarge) {
    product *= x;
    x += 1.0;
  }
  return (x - 0.5) * Log(x) - x + kHalfLogTwoPi + StirlingRest(x) - (product == 1.0 ? 0.0 : Log(product));
}

double Digamma(double x) {
  double sum = 0.0;
  for (; x < kLarge; x += 1.0) sum -= 1.0 / x;
  double const z = 1.0 / (x * x);
  return sum + Log(x) - 0.5 / x -
         z * (1.0 / 12.0 -
              z * (1.0 / 120.0 -
                   z * (1.0 / 252.0 - z * (1.0 / 240.0 - z * (1.0 / 132.0 - z * (691.0 / 32760.0 - z / 12.0))))));
}

double Trigamma(double x) {
  double sum = 0.0;
  for (; x < kLarge; x += 1.0) sum += 1.0 / (x * x);
  double const inverse = 1.0 / x;
  double const z = inverse * inverse;
  return sum + inverse + 0.5 * z +
         inverse * z *
             (1.0 / 6.0 -
              z * (1.0 / 30.0 -
                   z * (1.0 / 42.0 - z * (1.0 / 30.0 - z * (5.0 / 66.0 - z * (691.0 / 2730.0 - z * 7.0 / 6.0))))));
}

double LogBeta(double a, double b) {
  double const small = a < b ? a : b;
  double const large = a < b ? b : a;
  if (large < kLarge) return LogGamma(a) + LogGamma(b) - LogGamma(a + b);
  // The difference of two large logarithms, term by term.
  double const sum = a + b;
  double const rest = StirlingRest(large) - StirlingRest(sum);
  double const between = -(large - 0.5) * LogOfOnePlus(small / large) - small * Log(sum) + small + rest;
  return LogGamma(small) + between;
}

Tails GammaTails(double a, double x) {
  if (x != x) return {x, x};
  if (!(x > 0.0)) return {0.0, 1.0};
  if (a >= kUniformFrom) return UniformGammaTails(a, x);
  if (x > 1e300) return {1.0, 0.0};
  double const factor = GammaFactor(a, x);
  if (factor == 0.0) return x < a ? Tails{0.0, 1.0} : Tails{1.0, 0.0};
  if (x < a + 1.0) {
    double const lower = GammaSeries(a, x, factor);
    return {lower, 1.0 - lower};
  }
  double const upper = GammaFraction(a, x, factor);
  return {1.0 - upper, upper};
}

Tails BetaTails(double a, double b, double x) { return BetaTailsOf(a, b, x, 1.0 - x); }

Tails NormalTails(double z) {
  if (z != z) return {z, z};
  auto const squared = GammaTails(0.5, 0.5 * z * z);
  double const beyond = 0.5 * squared.upper;
  double const within = 0.5 + 0.5 * squared.lower;
  return z < 0.0 ? Tails{beyond, within} : Tails{within, beyond};
}

double NormalDensity(double z) { return Exp(-0.5 * z * z) * 0.39894228040143267794; }

double NormalQuantile(double p) {
  double const tail = p < 0.5 ? p : 1.0 - p;
  // Abramowitz and Stegun 26.2.23 is within 5e-4; two steps of Halley's rule make that 1e-16.
  double const t = std::sqrt(-2.0 * Log(tail));
  double z = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  for (int step = 0; step < 3; ++step) {
    double const density = NormalDensity(z);
    if (density == 0.0) break;  // of a subnormal share
    double const error = (NormalTails(z).upper - tail) / density;
    z += error / (1.0 - 0.5 * error * z);
  }
  return p < 0.5 ? -z : z;
}

Tails StudentTails(double t, double df) {
  if (df >= kUniformFrom) {  // Hill 1970, "Student's t-distribution", CACM algorithm 395
    double const a = df - 0.5;
    double const z = std::sqrt(a * LogOfOnePlus(t * t / df));
    double const shifted = z + (z * z + 3.0) * z / (48.0 * a * a);
    return NormalTails(t < 0.0 ? -shifted : shifted);
  }
  double const square = t * t;
  double const share = df / (df + square);
  double const beyond = 0.5 * BetaTailsOf(0.5 * df, 0.5, share, square / (df + square)).lower;
  double const within = 1.0 - beyond;
  return t < 0.0 ? Tails{beyond, within} : Tails{within, beyond};
}

double StudentLogDensity(double t, double df) {
  return -0.5 * (df + 1.0) * LogOfOnePlus(t * t / df) - 0.5 * Log(df) - LogBeta(0.5 * df, 0.5);
}

}  // namespace kauri::distribution
