#include "shapley/sphere_points.h"

#include <cmath>
#include <utility>

namespace kauri {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// Returns x^(n/2).
double HalfPower(double x, std::int32_t n) {
  double power = n % 2 == 0 ? 1.0 : std::sqrt(x);
  auto square = x;
  for (auto rest = n / 2; rest != 0; rest /= 2) {
    if (rest % 2 != 0) power *= square;
    square *= square;
  }
  return power;
}

/// Returns sum_k prod_(i<k) (a + i)/(b + i) x^k, for x below 1.
double SumSeries(double a, double b, double x) {
  double sum = 0.0;
  double term = 1.0;
  for (int k = 0; term > 1e-17 * sum; ++k) {
    sum += term;
    term *= x * (a + k) / (b + k);
  }
  return sum;
}

}  // namespace

SinePower::SinePower(std::int32_t m) : m_(m), half_beta_(m % 2 == 0 ? kPi / 2.0 : 1.0) {
  // Starting at B(1/2, 1/2) = pi or B(1, 1/2) = 2, B(a + 1, 1/2) = B(a, 1/2) a / (a + 1/2).
  for (auto twice_a = m % 2 == 0 ? 1 : 2; twice_a < m + 1; twice_a += 2) {
    half_beta_ *= static_cast<double>(twice_a) / static_cast<double>(twice_a + 1);
  }
}

SinePower::Shares SinePower::SharesAt(double t) const {
  auto const a = static_cast<double>(m_ + 1) / 2.0;
  auto const x = (1.0 - t) * (1.0 + t);
  auto const power = HalfPower(x, m_ + 1);
  Shares shares{0.0, 0.0, HalfPower(x, m_ - 1) / half_beta_};
  if (x < 0.5) {
    shares.outer = t * power * SumSeries(a + 0.5, a + 1.0, x) / (2.0 * a * half_beta_);
    shares.inner = 1.0 - shares.outer;
  } else {
    shares.inner = t * power * SumSeries(a + 0.5, 1.5, t * t) / half_beta_;
    shares.outer = 1.0 - shares.inner;
  }
  return shares;
}

Angle SinePower::Inverse(double u) const {
  auto const outer = u < 0.5 ? 2.0 * u : 2.0 * (1.0 - u);
  auto const inner = 1.0 - outer;
  auto t = inner * half_beta_;
  for (int step = 0; step < 200; ++step) {
    auto const shares = SharesAt(t);
    // The smaller of the two is more precise.
    auto const missing = inner < outer ? inner - shares.inner : shares.outer - outer;
    auto const next = shares.slope > 0.0 ? t + missing / shares.slope : t;
    auto const done = !(next - t > 1e-15) || next >= 1.0;
    t = next < 1.0 ? next : t;
    if (done) break;
  }
  return {u < 0.5 ? t : -t, std::sqrt((1.0 - t) * (1.0 + t))};
}

Angle TurnOf(double u) {
  auto const eighths = static_cast<int>(u * 8.0);
  auto const quarter = (eighths + 1) / 2;  // the nearest multiple of a quarter
  auto const angle = 2.0 * kPi * (u - 0.25 * static_cast<double>(quarter));
  auto const square = angle * angle;
  double cosine = 0.0;
  double sine = 0.0;
  for (int k = 10; k >= 1; --k) {  // Horner's scheme; the rest is below (pi/4)^21 / 21!
    cosine = -square * (1.0 + cosine) / static_cast<double>((2 * k - 1) * 2 * k);
    sine = -square * (1.0 + sine) / static_cast<double>(2 * k * (2 * k + 1));
  }
  Angle turned{1.0 + cosine, angle * (1.0 + sine)};
  for (int i = 0; i < quarter; ++i) turned = {-turned.sine, turned.cosine};
  return turned;
}

}  // namespace kauri
