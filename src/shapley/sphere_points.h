/// \file Points of the unit sphere, and the orders of players that they stand for.
///
/// Maps points of the unit sphere in R^(d-1) to orders of d players (section 5.4.1, Algorithm 2).
///
/// The orders, as vectors of ranks, lie on a sphere of dimension d - 2; a point is mapped to the nearest of them.
/// Uniform points give uniform orders (Theorem 1), antipodes give reverses. The scale of equation 11 does not matter
/// for that.
///
/// SinePower has the angles whose density is a power of their sine: the polar angles of uniform points on a sphere.
///
/// Maps Sobol's points to points of a sphere: each coordinate is a fraction of a polar angle's distribution.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/span.h"
#include "shapley/sobol_points.h"

namespace kauri {

class SphereMap {
 public:
  explicit SphereMap(std::int32_t d);

  /// Maps a point to an order. point: [d - 1]. order (out): [d], a stable sort of z = U' point in O(d log d), where row
  /// k = 1 .. d - 1 of U is (1 k times, -k, 0, ..) / sqrt(k + k^2).
  void OrderOf(Span<double const> point, Span<std::uint32_t> order) const;

 private:
  std::vector<double> scale_;  ///< [d], 1 / sqrt(k + k^2), from k = 1 on
};

struct Angle {
  double cosine;
  double sine;
};

/// The angle in [0, pi] with the density sin^m, m at least 1.
///
/// With t = |cos| the part of the distribution between the right angle and t is
///     H(t) = t (1 - t^2)^a sum_k c_k t^2k / (B(a, 1/2) / 2),  a = (m + 1)/2,
///     c_k = prod_(i<k) (a + 1/2 + i)/(3/2 + i),
/// and the rest of it, with x = 1 - t^2,
///     1 - H = t x^a sum_k e_k x^k / (a B(a, 1/2)),            e_k = prod_(i<k) (a + 1/2 + i)/(a + 1 + i)
/// (Gauss's series of the incomplete beta function after Euler's transform). All terms are positive, so nothing
/// cancels. a is half an integer, so only products and roots are needed. H is concave: Newton's method comes from
/// below.
class SinePower {
 public:
  explicit SinePower(std::int32_t m);
  /// Returns the angle below which the fraction u of the distribution lies, u in (0, 1). Error of the cosine below
  /// 1e-12.
  Angle Inverse(double u) const;

 private:
  struct Shares {
    double inner;  ///< H
    double outer;  ///< 1 - H
    double slope;  ///< dH/dt
  };
  Shares SharesAt(double t) const;

  std::int32_t m_;
  double half_beta_;  ///< B(a, 1/2) / 2
};

/// Returns the angle 2 pi u, u in [0, 1), by Taylor's series within an eighth of the circle.
Angle TurnOf(double u);

class SpherePoints {
 public:
  /// Points of the unit sphere in R^(d - 1); d: 2 to kMostSobolPlayers.
  explicit SpherePoints(std::int32_t d);
  /// Computes point `index` of the scrambling with the key `key`: [d - 1].
  void At(std::uint32_t index, std::uint64_t key, Span<double> point) const;

 private:
  SobolPoints sobol_;
  std::vector<SinePower> angles_;  ///< [d - 3], the last angle is a turn
};

}  // namespace kauri
