#include "common/distribution/special_functions.h"

#include <cmath>

#include "common/math.h"

namespace kauri::distribution {
namespace {

constexpr double kHalfLogTwoPi = 0.91893853320467274178;
constexpr double kTiny = 1e-300;
constexpr double kPrecision = 1e-16;
constexpr int kMostTerms = 100000;  ///< series end much earlier: after about 10 standard deviations of the shape
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
  double const exponent = std::fabs(u) < 0.5 ? a * (LogOnePlus(u) - u) : a * Log(x / a) - x + a;
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
  return Exp(a * Log(x) + b * (x < 0.5 ? LogOnePlus(-x) : Log(rest)) - LogBeta(a, b)) * BetaFraction(a, b, x) / a;
}

Tails BetaTailsOf(double a, double b, double x, double rest) {
  if (x < (a + 1.0) / (a + b + 2.0)) {
    double const lower = LowerBeta(a, b, x, rest);
    return {lower, 1.0 - lower};
  }
  double const upper = LowerBeta(b, a, rest, x);
  return {1.0 - upper, upper};
}

}  // namespace

double LogOnePlus(double x) {
  if (std::fabs(x) > 0.25) return Log(1.0 + x);
  // 2 artanh(x / (2 + x)) by its series.
  double const s = x / (2.0 + x);
  double const z = s * s;
  double sum = 0.0;
  for (int k = 19; k >= 1; k -= 2) sum = sum * z + 1.0 / k;
  return 2.0 * s * sum;
}

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
  double const between = -(large - 0.5) * LogOnePlus(small / large) - small * Log(sum) + small + rest;
  return LogGamma(small) + between;
}

Tails GammaTails(double a, double x) {
  if (!(x > 0.0)) return {0.0, 1.0};
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
    double const error = (NormalTails(z).upper - tail) / NormalDensity(z);
    z += error / (1.0 - 0.5 * error * z);
  }
  return p < 0.5 ? -z : z;
}

Tails StudentTails(double t, double df) {
  double const square = t * t;
  double const share = df / (df + square);
  double const beyond = 0.5 * BetaTailsOf(0.5 * df, 0.5, share, square / (df + square)).lower;
  double const within = 1.0 - beyond;
  return t < 0.0 ? Tails{beyond, within} : Tails{within, beyond};
}

double StudentLogDensity(double t, double df) {
  return -0.5 * (df + 1.0) * LogOnePlus(t * t / df) - 0.5 * Log(df) - LogBeta(0.5 * df, 0.5);
}

}  // namespace kauri::distribution
