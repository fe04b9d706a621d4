/// \file Interaction indices of sets of features of any size, as weighted integrals along the paths of a tree.
///
/// Vocabulary. f(T) is the expected margin if only the features T are known. The order is the largest size of a set, m.
/// The derivative D_S(t) of f's multilinear extension (Owen 1972) with respect to the features S, at a point where each
/// other feature is known with probability t, is the mean over the coalitions T without S of
///     D_S f(T) = sum over L within S of (-1)^(|S| - |L|) f(T + L).
/// A leaf of value v has D_S(t) = v prod_{j in S} (o_j - z_j) prod_{j not in S} (z_j (1 - t) + o_j t), with z and o of
/// shap_quadrature.h. Every index below is an integral of D_S with a weight that depends on |S| and m:
///
///   SII    1 for every size (Grabisch, Roubens 1999).
///   k-SII  SII made to add up to the margin: S gets the sum over the sets U that contain S, |U| <= m, of SII of U
///   times
///          the Bernoulli number of |U| - |S| (Bordt, von Luxburg 2023). It is computed from SII.
///   BII    the value at t = 1/2 (Grabisch, Roubens 1999).
///   STII   m (1 - t)^(m - 1) for |S| = m; the value at t = 0 for smaller sets (Sundararajan, Dhamdhere, Agarwal 2020).
///   FSII   the best approximation of f by sums over sets of up to m features (Tsai, Yeh, Ravikumar 2023, theorem 19).
///          With the Moebius coefficients a(U), which are the coefficients of the extension, theorem 19 reads, s = |S|,
///              FSII(S) = a(S) + (-1)^(m-s) s/(m+s) C(m, s) sum over U, S < U, |U| > m,
///                        of C(|U|-1, m) / C(|U|+m-1, m+s) a(U).
///          D_S(t) is the sum of a(U) t^(|U|-s). So the weight w has the moments, j = |U| - s, up to a factor,
///              Int t^j w dt = prod_{i=1}^{m-s} (j - i) / prod_{i=s}^{s+m-1} (j + i),
///          which is 0 for 0 < j <= m - s. The factor makes the moment of j = 0 equal to 1, which covers a(S). The
///          denominator is the moment of t^(s-1) (1-t)^(m-1), and a factor j - i is the operator w -> -(t w)' - i w, by
///          parts. So w is a polynomial of degree s + m - 2.
///
/// A path of k features has a D_S of degree k - s. Gauss-Legendre with (k + 1) / 2 points is exact for SII and STII,
/// and with (k + m) / 2 for FSII. If k <= m, STII and FSII are the Moebius coefficients: the value at t = 0.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kauri {

enum class InteractionIndex { kSii, kKSii, kStii, kFsii, kBii };

/// Returns the index of a name: "SII", "k-SII", "STII", "FSII" or "BII". \throws Error(kParameter) for another name.
InteractionIndex InteractionIndexNamed(std::string const& name);

/// Maximum order. The integrals of FSII with powers of t have errors below 1e-15 at order 5, 1e-12 at 12, 1e-10 at 16.
constexpr std::int32_t kMostOrder = 16;

/// The points of paths of a certain length and their weights by size of a set.
struct InteractionRule {
  std::vector<double> node;                 ///< in [0, 1)
  std::vector<std::vector<double>> weight;  ///< [order + 1][points], by size; size 0 is not used

  std::int32_t Points() const { return static_cast<std::int32_t>(node.size()); }
};

/// Makes a rule that is exact for paths of up to n_features distinct features, except for rounding. k-SII has the rule
/// of SII.
InteractionRule MakeInteractionRule(InteractionIndex index, std::int32_t order, std::int32_t n_features);

/// Returns the Bernoulli numbers B_0 = 1, B_1 = -1/2, B_2 = 1/6, ... up to B_n.
std::vector<double> BernoulliNumbers(std::int32_t n);

}  // namespace kauri
