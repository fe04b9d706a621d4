/// \file Points and weights that turn the semivalues of tree paths into sums, scaled to stay within float32.
///
/// With f(S) the expected margin when just the features S are known, and D_i f(S) = f(S + i) - f(S), a semivalue
/// (Dubey, Neyman, Weber 1981) is a weighted mean of D_i f(S) over the coalitions S without i; the weight of S depends
/// on its size only. Owen (1972, Multilinear extensions of games): let every feature but i join S with chance t; the
/// mean over S is then a derivative of f's multilinear extension, and a semivalue is its integral over a measure on t:
///
///   Shapley value                  Int_0^1 D_i dt           every size of S equally likely
///   Banzhaf value (1965)           D_i at t = 1/2           every S equally likely
///   Shapley interaction            Int_0^1 D_ij dt          D_ij f(S) = D_i f(S + j) - D_i f(S)
///   Shapley-Taylor index of order 2 (Sundararajan, Dhamdhere, Agarwal 2020)
///     of a pair                    2 Int_0^1 (1 - t) D_ij dt = 2/n sum over S of D_ij f(S) / C(n - 1, |S|)
///     of a feature                 D_i at t = 0             f({i}) - f({})
///
/// The path of a leaf of value v has D_i = v (o_i - z_i) prod_{j != i} u_j(t) with u_j(t) = z_j (1 - t) + o_j t
/// (shap_quadrature.h), a polynomial, so that all of these are finite sums over points.
///
/// Scaling: each factor is taken times a scale(t): z alpha + o beta, with alpha = scale (1 - t) and beta = scale t, and
/// a leaf of a path of k features makes up for it with power[k - 1] = scale^-(k - 1). With scale = 1 / (1 - t), alpha
/// is 1 and a factor costs one addition; its powers stay within float32's range for the paths of up to 16 features that
/// 8 Gauss-Legendre points are exact for. Longer paths take scale = 1.
#pragma once

#include <cstdint>
#include <vector>

namespace kauri {

enum class Semivalue {
  kShapley,      ///< of features and of pairs
  kBanzhaf,      ///< of features
  kTaylorPairs,  ///< of pairs
  kTaylorAlone   ///< of features; u_j = z_j may be 0, so that nothing can be divided by it
};

/// Points that an integral over a path of so many distinct features needs: the order of a rule for it.
constexpr std::int32_t PointsFor(std::int32_t n_features) { return n_features < 2 ? 1 : (n_features + 1) / 2; }

/// Largest order with alpha = 1.
constexpr std::int32_t kMaxUnitOrder = 8;

/// Points in (0, 1), or at 0; ascending; complement = 1 - node without cancellation.
struct QuadratureNodes {
  std::vector<double> node;
  std::vector<double> complement;
  std::vector<double> weight;
};

/// n Gauss-Legendre points on [0, 1], exact for polynomials of degree 2 n - 1.
QuadratureNodes MakeGaussLegendre(std::int32_t n);

/// Exact for paths of up to 2 * order distinct features: `order` points, or a single one where the measure is a point.
QuadratureNodes SemivalueNodes(Semivalue semivalue, std::int32_t order);

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

  bool IsUnit() const { return power_stride != 0; }  ///< alpha is 1
};

/// For paths of up to 2 * order distinct features: exact but for rounding.
QuadratureRule MakeQuadratureRule(Semivalue semivalue, std::int32_t order);

}  // namespace kauri
