#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "common/random/random.h"

namespace kauri {
namespace {

constexpr std::size_t kDraws = 200000;

std::vector<double> Draw(std::uint64_t key) {
  std::vector<double> drawn;
  for (std::uint64_t counter = 0; counter < kDraws; ++counter) drawn.push_back(RandomNormal(key, counter));
  return drawn;
}

double MeanOf(std::vector<double> const& values, int power) {
  double sum = 0.0;
  for (auto const value : values) sum += std::pow(value, power);
  return sum / static_cast<double>(values.size());
}

TEST(RandomNormal, HasTheMomentsOfTheNormalDistribution) {
  for (std::uint64_t const key : {0U, 1U, 77U}) {
    auto const drawn = Draw(key);
    // The tolerance is five standard errors.
    EXPECT_NEAR(MeanOf(drawn, 1), 0.0, 5.0 * std::sqrt(1.0 / kDraws));
    EXPECT_NEAR(MeanOf(drawn, 2), 1.0, 5.0 * std::sqrt(2.0 / kDraws));
    EXPECT_NEAR(MeanOf(drawn, 3), 0.0, 5.0 * std::sqrt(15.0 / kDraws));
    EXPECT_NEAR(MeanOf(drawn, 4), 3.0, 5.0 * std::sqrt(96.0 / kDraws));
  }
}

/// Tests Kolmogorov's distance from the distribution function, which exceeds 2 / sqrt(n) with probability 0.0007.
TEST(RandomNormal, HasItsDistributionFunction) {
  auto drawn = Draw(5);
  std::sort(drawn.begin(), drawn.end());
  double distance = 0.0;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    auto const expected = 0.5 * std::erfc(-drawn[i] / std::sqrt(2.0));
    distance = std::max(distance, std::fabs(expected - (static_cast<double>(i) + 0.5) / kDraws));
  }
  EXPECT_LT(distance, 2.0 / std::sqrt(kDraws));
}

/// Adjacent counters, and equal counters of adjacent keys, are independent.
TEST(RandomNormal, NeighboursAreIndependent) {
  auto const drawn = Draw(9);
  auto const other = Draw(10);
  double next = 0.0;
  double beside = 0.0;
  for (std::size_t i = 0; i + 1 < kDraws; ++i) {
    next += drawn[i] * drawn[i + 1];
    beside += drawn[i] * other[i];
  }
  EXPECT_NEAR(next / kDraws, 0.0, 5.0 / std::sqrt(kDraws));
  EXPECT_NEAR(beside / kDraws, 0.0, 5.0 / std::sqrt(kDraws));
}

/// Models depend on these bits.
TEST(RandomNormal, StaysAsItIs) {
  EXPECT_EQ(RandomNormal(0, 0), -1.1179265751193004);
  EXPECT_EQ(RandomNormal(1, 2), 2.5558784225310807);
  EXPECT_EQ(RandomNormal(0x0123456789ABCDEFULL, 4294967295U), -0.4812330620258069);
}

}  // namespace
}  // namespace kauri
