/// \file Maps Sobol's points to points of a sphere: each coordinate is a fraction of a polar angle's distribution.
#pragma once

#include <cstdint>
#include <vector>

#include "shapley/sine_power.h"
#include "shapley/sobol_points.h"
#include "shapley/sphere_map.h"

namespace kauri {

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
