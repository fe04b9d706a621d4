#include "predictor/shap/quadrature_rule.h"

#include "common/host_math.h"

namespace kauri {
namespace {

/// Value and derivative of a Legendre polynomial.
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

QuadratureNodes MakeGaussLegendre(std::int32_t n) {
  constexpr double kPi = 3.14159265358979323846;
  QuadratureNodes rule;
  for (std::int32_t i = n - 1; i >= 0; --i) {
    auto x = CosineToPi(kPi * (i + 0.75) / (n + 0.5));
    for (int step = 0; step < 10; ++step) {  // converges quadratically from a start within 1e-2: six steps are enough
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

QuadratureNodes SemivalueNodes(Semivalue semivalue, std::int32_t order) {
  switch (semivalue) {
    case Semivalue::kBanzhaf:
      return {{0.5}, {0.5}, {1.0}};
    case Semivalue::kTaylorAlone:
      return {{0.0}, {1.0}, {1.0}};
    default:
      break;
  }
  // 2 (1 - t) and the product of k - 2 factors have degree k - 1, like the Shapley integrals.
  auto nodes = MakeGaussLegendre(order);
  if (semivalue == Semivalue::kTaylorPairs) {
    for (std::size_t q = 0; q < nodes.node.size(); ++q) nodes.weight[q] *= 2.0 * nodes.complement[q];
  }
  return nodes;
}

QuadratureRule MakeQuadratureRule(Semivalue semivalue, std::int32_t order) {
  auto const exact = SemivalueNodes(semivalue, order);
  auto const n = exact.node.size();
  auto const is_unit = order <= kMaxUnitOrder;
  std::vector<double> scale(n, 1.0);
  for (std::size_t q = 0; q < n && is_unit; ++q) scale[q] = 1.0 / exact.complement[q];

  QuadratureRule rule;
  rule.points = static_cast<std::int32_t>(n);
  rule.power_stride = is_unit ? rule.points : 0;
  for (std::size_t q = 0; q < n; ++q) {
    rule.weight.push_back(static_cast<float>(exact.weight[q]));
    rule.alpha.push_back(static_cast<float>(exact.complement[q] * scale[q]));
    rule.beta.push_back(static_cast<float>(exact.node[q] * scale[q]));
    rule.half_scale.push_back(static_cast<float>(0.5 * scale[q]));
    rule.cold.push_back(static_cast<float>(-1.0 / (exact.complement[q] * scale[q])));
  }
  for (std::int32_t k = 0; k < (is_unit ? 2 * order : 1); ++k) {
    for (std::size_t q = 0; q < n; ++q) {
      auto const power = IntegerPower(scale[q], -k);
      rule.power.push_back(static_cast<float>(power));
      rule.power_alpha.push_back(static_cast<float>(power * scale[q] * exact.complement[q]));
      rule.power_beta.push_back(static_cast<float>(power * scale[q] * exact.node[q]));
    }
  }
  return rule;
}

}  // namespace kauri
