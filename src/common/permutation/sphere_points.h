/// \file Sobol's points as points of a sphere: each coordinate is a share of a polar angle's distribution.
#pragma once

#include <cstdint>
#include <vector>

#include "common/permutation/sine_power.h"
#include "common/permutation/sobol_points.h"
#include "common/permutation/sphere_map.h"

namespace kauri {

class SpherePoints {
 public:
  /// Of the unit sphere in R^(d - 1); d: 2 to kMostSobolPlayers.
  explicit SpherePoints(std::int32_t d);
  /// Point `index` of the scrambling that `key` names: [d - 1].
  void At(std::uint32_t index, std::uint64_t key, Span<double> point) const;

 private:
  SobolPoints sobol_;
  std::vector<SinePower> angles_;  ///< [d - 3], the last angle is a turn
};

}  // namespace kauri
