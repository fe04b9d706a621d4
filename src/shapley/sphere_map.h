/// \file Maps points of the unit sphere in R^(d-1) to orders of d players (section 5.4.1, Algorithm 2).
///
/// The orders, as vectors of ranks, lie on a sphere of dimension d - 2; a point is mapped to the nearest of them.
/// Uniform points give uniform orders (Theorem 1), antipodes give reverses. The scale of equation 11 does not matter
/// for that.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/span.h"

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

}  // namespace kauri
