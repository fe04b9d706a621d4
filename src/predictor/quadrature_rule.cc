#include "predictor/quadrature_rule.h"

#include <cmath>

namespace kauri {
namespace {

/// Legendre polynomial of degree n and its derivative at x.
struct Legendre {
  double value;
  double slope;
};
Legendre EvaluateLegendre(std::int32_t n, double x) {
  double value = 1.0;
  double previous = 0.0;
  for (std::int32_t k = 1; k <= n; ++k) {
    auto const next = ((2.0 * k - 1.0) * x * value - (k - 1.0) * previous) / k;
    previous = value;
    value = next;
  }
  return {value, n * (x * value - previous) / (x * x - 1.0)};
}

}  // namespace

GaussLegendre MakeGaussLegendre(std::int32_t n) {
  constexpr double kPi = 3.14159265358979323846;
  GaussLegendre rule;
  for (std::int32_t i = n - 1; i >= 0; --i) {
    auto x = std::cos(kPi * (i + 0.75) / (n + 0.5));
    for (int step = 0; step < 10; ++step) {  // quadratic from a start within 1e-2: six are plenty
      auto const p = EvaluateLegendre(n, x);
      x -= p.value / p.slope;
    }
    auto const slope = EvaluateLegendre(n, x).slope;
    rule.node.push_back(0.5 * (1.0 + x));
    rule.complement.push_back(0.5 * (1.0 - x));
    rule.weight.push_back(1.0 / ((1.0 - x * x) * slope * slope));
  }
  return rule;
}

QuadratureRule MakeQuadratureRule(std::int32_t points) {
  auto const exact = MakeGaussLegendre(points);
  auto const n = exact.node.size();
  auto const is_unit = points <= kMaxUnitPoints;
  std::vector<double> scale(n, 1.0);
  for (std::size_t q = 0; q < n && is_unit; ++q) scale[q] = 1.0 / exact.complement[q];

  QuadratureRule rule;
  rule.points = points;
  rule.power_stride = is_unit ? points : 0;
  for (std::size_t q = 0; q < n; ++q) {
    rule.weight.push_back(static_cast<float>(exact.weight[q]));
    rule.alpha.push_back(static_cast<float>(exact.complement[q] * scale[q]));
    rule.beta.push_back(static_cast<float>(exact.node[q] * scale[q]));
    rule.half_scale.push_back(static_cast<float>(0.5 * scale[q]));
    rule.cold.push_back(static_cast<float>(-1.0 / (exact.complement[q] * scale[q])));
  }
  for (std::int32_t k = 0; k < (is_unit ? 2 * points : 1); ++k) {
    for (std::size_t q = 0; q < n; ++q) {
      auto const power = std::pow(scale[q], -k);
      rule.power.push_back(static_cast<float>(power));
      rule.power_alpha.push_back(static_cast<float>(power * scale[q] * exact.complement[q]));
      rule.power_beta.push_back(static_cast<float>(power * scale[q] * exact.node[q]));
    }
  }
  return rule;
}

}  // namespace kauri
