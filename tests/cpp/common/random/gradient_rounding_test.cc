#include "common/random/gradient_rounding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace kauri {
namespace {

GradientUnit UnitOf(GradientPair largest) {
  return {FixedPointUnit(largest.gradient), FixedPointUnit(largest.hessian)};
}

FixedPair Fixed(GradientPair pair, GradientPair largest) {
  auto const unit = UnitOf(largest);
  return QuantisePair(pair, {1.0 / unit.gradient, 1.0 / unit.hessian});
}

/// The largest number takes at least half of the integers of so many bits, and never more than all of them.
TEST(GradientRounding, NothingOverflows) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  for (int const bits : {4, 8}) {
    auto const most = (1 << (bits - 1)) - 1;
    for (float const max : {1.0F, 0.9999999F, 0.992F, 0.9921875F, 0.9922F, 0.875F, 0.8751F, 0.5F, 3e-39F, 1e-45F, 7.0F,
                            127.0F, 127.5F, kLargest}) {
      auto const shifts = ShiftsOf({max, max}, bits);
      int found = 0;
      for (std::int64_t row = 0; row < 400; ++row) {
        for (float const sign : {1.0F, -1.0F}) {
          auto const pair = RoundPair(Fixed({sign * max, sign * max}, {max, max}), shifts, 7, row);
          found = std::max({found, std::abs(pair.gradient), std::abs(pair.hessian)});
        }
      }
      EXPECT_LE(found, most) << max << " in " << bits << " bits";
      EXPECT_GE(found, (most + 1) / 2) << max << " in " << bits << " bits";
    }
  }
}

/// Numbers become one of their two neighbours. Over many draws, they keep their mean.
TEST(GradientRounding, IsUnbiased) {
  GradientPair const largest{1.9F, 0.25F};
  for (int const bits : {4, 8}) {
    auto const shifts = ShiftsOf(largest, bits);
    auto const unit = RoundedUnit(UnitOf(largest), shifts);
    for (GradientPair const pair : {GradientPair{0.31F, 0.013F}, {-0.31F, 0.24F}, {1.9F, 0.25F}, {-1e-3F, 1e-6F}}) {
      constexpr int kDraws = 40000;
      double gradients = 0.0;
      double hessians = 0.0;
      for (std::int64_t row = 0; row < kDraws; ++row) {
        auto const rounded = RoundPair(Fixed(pair, largest), shifts, 3, row);
        EXPECT_LT(std::fabs(rounded.gradient - pair.gradient / unit.gradient), 1.0);
        EXPECT_LT(std::fabs(rounded.hessian - pair.hessian / unit.hessian), 1.0);
        gradients += rounded.gradient * unit.gradient;
        hessians += rounded.hessian * unit.hessian;
      }
      auto const four_deviations = 4.0 * 0.5 / std::sqrt(kDraws);
      EXPECT_NEAR(gradients / kDraws, pair.gradient, four_deviations * unit.gradient);
      EXPECT_NEAR(hessians / kDraws, pair.hessian, four_deviations * unit.hessian);
    }
  }
}

TEST(GradientRounding, MultiplesOfTheStepAreExact) {
  GradientPair const largest{1.0F, 1.0F};
  for (int const bits : {4, 8}) {
    auto const shifts = ShiftsOf(largest, bits);
    for (std::int64_t row = 0; row < 100; ++row) {
      auto const pair = RoundPair(Fixed({-0.5F, 1.0F}, largest), shifts, 5, row);
      EXPECT_EQ(pair.hessian * RoundedUnit(UnitOf(largest), shifts).hessian, 1.0);
      EXPECT_EQ(pair.gradient * RoundedUnit(UnitOf(largest), shifts).gradient, -0.5);
    }
  }
}

/// No row draws what another one does, nor a tree what another tree does.
TEST(GradientRounding, DrawsDiffer) {
  auto const round = RoundKeyOfRounding(1, 2);
  EXPECT_NE(RoundingKey(round, 0), RoundingKey(round, 1));
  EXPECT_NE(round, RoundKeyOfRounding(1, 3));
  EXPECT_NE(round, RoundKeyOfRounding(2, 2));
  auto const shifts = ShiftsOf({1.0F, 1.0F}, 4);
  int n_up = 0;
  for (std::int64_t row = 0; row < 1000; ++row) {
    n_up += RoundPair(Fixed({0.375F, 0.375F}, {1.0F, 1.0F}), shifts, round, row).gradient - 1;
  }
  EXPECT_NEAR(n_up, 500, 64);
}

}  // namespace
}  // namespace kauri
