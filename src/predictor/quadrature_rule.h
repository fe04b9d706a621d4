/// \file Gauss-Legendre quadrature on [0, 1], scaled so that the Shapley integrals of tree paths stay within float32.
///
/// A path's integrand is a product of factors z (1 - t) + o t, one per feature (shap_quadrature.h). Each is taken
/// times a scale(t): z alpha + o beta, with alpha = scale (1 - t) and beta = scale t, and a leaf of a path of k
/// features makes up for it with power[k - 1] = scale^-(k - 1). With scale = 1 / (1 - t), alpha is 1 and a factor costs
/// one addition; its powers stay within float32's range for the paths of up to 16 features that 8 points are exact for.
/// Longer paths take scale = 1.
#pragma once

#include <cstdint>
#include <vector>

namespace kauri {

/// Points with alpha = 1 at most.
constexpr std::int32_t kMaxUnitPoints = 8;

/// n nodes and weights, exact for polynomials of degree 2 n - 1. Ascending; complement = 1 - node without cancellation.
struct GaussLegendre {
  std::vector<double> node;
  std::vector<double> complement;
  std::vector<double> weight;
};
GaussLegendre MakeGaussLegendre(std::int32_t n);

/// All vectors: [points]; powers: a path of k features reads [points] from (k - 1) * power_stride on.
struct QuadratureRule {
  std::int32_t points = 0;
  std::int32_t power_stride = 0;  ///< 0 where scale = 1: all powers are alike
  std::vector<float> weight;
  std::vector<float> alpha;
  std::vector<float> beta;
  std::vector<float> half_scale;  ///< scale / 2: a pair shares its effect
  std::vector<float> cold;        ///< -1 / alpha
  std::vector<float> power;
  std::vector<float> power_alpha;  ///< power times alpha
  std::vector<float> power_beta;
};

/// Points that a path of so many distinct features needs.
constexpr std::int32_t PointsFor(std::int32_t n_features) { return n_features < 2 ? 1 : (n_features + 1) / 2; }

/// The rule for paths of up to 2 * points distinct features: exact but for rounding.
QuadratureRule MakeQuadratureRule(std::int32_t points);

}  // namespace kauri
