#include "data/sketch/power_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/random_matrix.h"

namespace kauri {
namespace {

using testing::Random;

std::vector<float> Normal(std::size_t n, float mean, float deviation, std::uint64_t seed = 1) {
  Random random(seed);
  std::vector<float> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(mean + deviation * random.Normal());
  return values;
}

std::vector<float> SomeWeights(std::size_t n) {
  Random random(9);
  std::vector<float> weights;
  for (std::size_t i = 0; i < n; ++i) weights.push_back(static_cast<float>(random.Below(5)) * 0.7F);
  return weights;
}

/// Computes mapped moments from the definition, in long double.
std::vector<double> NaiveMoments(std::vector<float> const& values, std::vector<float> const& weights, int order) {
  long double low = std::numeric_limits<float>::infinity();
  long double high = -low;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (weights[i] <= 0.0F) continue;
    low = std::min<long double>(low, values[i]);
    high = std::max<long double>(high, values[i]);
  }
  std::vector<long double> sums(static_cast<std::size_t>(order) + 1, 0.0L);
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto const x = (2.0L * values[i] - low - high) / (high - low);
    for (int k = 0; k <= order; ++k) sums[k] += weights[i] * std::pow(x, k);
  }
  std::vector<double> moments;
  for (auto const sum : sums) moments.push_back(static_cast<double>(sum / sums[0]));
  return moments;
}

PowerSums SumsOfParts(std::vector<float> const& values, std::vector<float> const& weights, std::size_t rows) {
  PowerSumTree sums(kMaxMoment);
  for (std::size_t begin = 0; begin < values.size(); begin += rows) {
    auto const n = std::min(rows, values.size() - begin);
    sums.Add(Span<float const>(values).subspan(begin, n), Span<float const>(weights).subspan(begin, n));
  }
  return sums.Sums();
}

TEST(PowerSums, AreThoseOfTwoPassesWhateverTheMeanScaleAndParts) {
  auto const weights = SomeWeights(5000);
  for (auto const& values : {Normal(5000, 0.0F, 1.0F), Normal(5000, 1000.0F, 1.0F), Normal(5000, -3e-30F, 1e-31F),
                             Normal(5000, 1e37F, 1e37F)}) {
    auto const expected = NaiveMoments(values, weights, kMaxMoment);
    for (std::size_t const rows : {1, 77, 5000}) {
      auto const moments = SumsOfParts(values, weights, rows).MappedMoments();
      ASSERT_EQ(moments.size(), expected.size());
      for (std::size_t k = 0; k < moments.size(); ++k) EXPECT_NEAR(moments[k], expected[k], 1e-11) << k << " " << rows;
    }
  }
}

TEST(PowerSums, MergeInAnyOrder) {
  auto const values = Normal(4000, 50.0F, 3.0F);
  auto const weights = SomeWeights(4000);
  auto const first =
      SumsOfParts({values.begin(), values.begin() + 1000}, {weights.begin(), weights.begin() + 1000}, 99);
  auto const rest = SumsOfParts({values.begin() + 1000, values.end()}, {weights.begin() + 1000, weights.end()}, 500);
  auto const left = first.MergedWith(rest);
  auto const right = rest.MergedWith(first);
  EXPECT_NEAR(left.weight, right.weight, 1e-9);
  auto const a = left.MappedMoments();
  auto const b = right.MappedMoments();
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-12);
  EXPECT_EQ(PowerSums().MergedWith(left).sums, left.sums);
  EXPECT_EQ(left.MergedWith(PowerSums()).sums, left.sums);
}

}  // namespace
}  // namespace kauri
