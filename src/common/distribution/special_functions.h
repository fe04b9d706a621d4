/// \file Special functions of probability with the same bits on every host and thread.
///
/// The C library's lgamma writes a global sign, and its results differ between systems. These functions use only the
/// logarithm and exponent of common/math.h, square roots and the four operations of float64. The tests compare
/// distributions with those of SciPy. Beside 50 digits, relative errors were below 1e-14 (for LogGamma, LogBeta and
/// Digamma relative to 1 where their values are smaller), and below 5e-11 for incomplete gamma and beta functions with
/// shapes above 1e-5. The upper tail of a smaller shape loses digits. BetaTails takes shapes to 1e9: for larger ones
/// its continued fraction would end too early.
#pragma once

namespace kauri::distribution {

constexpr double kPi = 3.14159265358979323846;

/// ln(Gamma(x)), x > 0.
double LogGamma(double x);
/// The derivative of LogGamma, x > 0.
double Digamma(double x);
/// The derivative of Digamma, x > 0.
double Trigamma(double x);
/// ln(Beta(a, b)) for a, b > 0.
double LogBeta(double a, double b);

/// A probability and its complement, each with its own relative precision.
struct Tails {
  double lower;
  double upper;
};

/// The share of the gamma distribution of shape `a` and rate 1 below and above x >= 0: regularised incomplete gamma
/// functions, by their series below the mean and by Lentz's continued fraction above it.
Tails GammaTails(double a, double x);
/// The share of the beta distribution of a and b below and above x in [0, 1], by Lentz's continued fraction.
Tails BetaTails(double a, double b, double x);
/// The standard normal distribution.
Tails NormalTails(double z);
double NormalDensity(double z);
/// The value below which the share p of the standard normal distribution lies, 0 < p < 1.
double NormalQuantile(double p);
/// The distribution of Student's t with `df` degrees of freedom.
Tails StudentTails(double t, double df);
/// The logarithm of its density.
double StudentLogDensity(double t, double df);

}  // namespace kauri::distribution
