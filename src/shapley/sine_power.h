/// \file Angles whose density is a power of their sine: the polar angles of uniform points on a sphere.
#pragma once

#include <cstdint>

namespace kauri {

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

}  // namespace kauri
