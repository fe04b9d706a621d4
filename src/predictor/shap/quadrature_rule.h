/// \file Points and weights that turn the semivalues of tree paths into sums, scaled to stay within float32.
///
/// Let f(S) be the expected margin when only the features S are known, and D_i f(S) = f(S + i) - f(S). A semivalue
/// (Dubey, Neyman, Weber 1981) is a weighted mean of D_i f(S) over the coalitions S without i; the weight of S depends
/// only on its size. Owen (1972, Multilinear extensions of games): let every feature except i join S with probability
/// t. The mean over S is then a derivative of f's multilinear extension, and a semivalue is its integral over a measure
/// on t:
///
///   Shapley value                  Int_0^1 D_i dt           every size of S equally likely
///   Banzhaf value (1965)           D_i at t = 1/2           every S equally likely
///   Shapley interaction            Int_0^1 D_ij dt          D_ij f(S) = D_i f(S + j) - D_i f(S)
///   Banzhaf interaction (Roubens 1996)  D_ij at t = 1/2
///   Shapley-Taylor index of order 2 (Sundararajan, Dhamdhere, Agarwal 2020)
///     of a pair                    2 Int_0^1 (1 - t) D_ij dt = 2/n sum over S of D_ij f(S) / C(n - 1, |S|)
///     of a feature                 D_i at t = 0             f({i}) - f({})
///
/// The path of a leaf of value v has D_i = v (o_i - z_i) prod_{j != i} u_j(t) with u_j(t) = z_j (1 - t) + o_j t
/// (shap_quadrature.h). This is a polynomial, so all these integrals are finite sums over points.
///
/// Scaling: each factor is multiplied by a scale(t): z alpha + o beta, with alpha = scale (1 - t) and beta = scale t. A
/// leaf on a path of k features compensates with power[k - 1] = scale^-(k - 1). With scale = 1 / (1 - t), alpha is 1
/// and a factor costs one addition. Its powers stay within float32's range for paths of up to 16 features, for which 8
/// Gauss-Legendre points are exact. Longer paths use scale = 1.
#pragma once

#include <cstdint>
#include <vector>

namespace kauri {

enum class Semivalue {
  kShapley,      ///< of features and of pairs
  kBanzhaf,      ///< of features and of pairs
  kTaylorPairs,  ///< of pairs
  kTaylorAlone   ///< of features; u_j = z_j may be 0, so no division by it is possible
};

/// Returns the number of points for paths of n_features distinct features, which is the order of their rule.
constexpr std::int32_t PointsFor(std::int32_t n_features) { return n_features < 2 ? 1 : (n_features + 1) / 2; }

/// Largest order with alpha = 1.
constexpr std::int32_t kMaxUnitOrder = 8;

/// Points in (0, 1), or a point at 0, ascending. complement = 1 - node, without cancellation.
struct QuadratureNodes {
  std::vector<double> node;
  std::vector<double> complement;
  std::vector<double> weight;
};

/// Returns n Gauss-Legendre points on [0, 1], exact for polynomials of degree 2 n - 1.
QuadratureNodes MakeGaussLegendre(std::int32_t n);

/// Returns nodes that are exact for paths of up to 2 * order distinct features: `order` points, or a single point if
/// the measure is concentrated there.
QuadratureNodes SemivalueNodes(Semivalue semivalue, std::int32_t order);

/// A scaled rule. All vectors have [points] entries, except powers: a path of k features reads [points] entries from (k
/// - 1) * power_stride on.
struct QuadratureRule {
  std::int32_t points = 0;
  std::int32_t power_stride = 0;  ///< 0 if scale = 1, because all powers are equal
  std::vector<float> weight;
  std::vector<float> alpha;
  std::vector<float> beta;
  std::vector<float> half_scale;  ///< scale / 2; the two cells of a pair have half of the effect each
  std::vector<float> cold;        ///< -1 / alpha
  std::vector<float> power;
  std::vector<float> power_alpha;  ///< power times alpha
  std::vector<float> power_beta;

  bool IsUnit() const { return power_stride != 0; }  ///< true if alpha is 1
};

/// Makes a rule for paths of up to 2 * order distinct features, exact except for rounding.
QuadratureRule MakeQuadratureRule(Semivalue semivalue, std::int32_t order);

}  // namespace kauri
