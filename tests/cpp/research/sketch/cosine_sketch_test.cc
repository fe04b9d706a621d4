#include "research/sketch/cosine_sketch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "research/sketch/moment_density.h"
#include "support/random_matrix.h"

namespace kauri {
namespace {

using testing::Random;

TEST(CosineCdf, IsExactForACosine) {
  // For the density (1 + cos t) / pi of t, E cos t = 1/2 and the distribution is (t + sin t) / pi.
  constexpr double kPi = 3.14159265358979323846;
  auto const cdf = CosineCdf(std::vector<double>{1.0, 0.5, 0.0, 0.0});
  for (std::size_t cell = 0; cell <= kCdfCells; cell += 512) {
    auto const t = kPi * static_cast<double>(cell) / kCdfCells;
    EXPECT_NEAR(cdf[cell], (t + std::sin(t)) / kPi, 1e-14);
  }
  EXPECT_EQ(cdf.back(), 1.0);
}

std::vector<float> Uniform(std::size_t n) {
  Random random(6);
  std::vector<float> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(static_cast<float>(random.Uniform()));
  return values;
}

/// Returns the largest difference between stated and true ranks.
double Distance(std::vector<float> values, ColumnRanks const& ranks) {
  std::sort(values.begin(), values.end());
  auto largest = 0.0;
  for (std::size_t i = 0; i < ranks.values.size(); ++i) {
    auto const truth = std::lower_bound(values.begin(), values.end(), ranks.values[i]) - values.begin();
    largest = std::max(largest, std::fabs(static_cast<double>(truth) / static_cast<double>(values.size()) -
                                          ranks.below[i] / ranks.below.back()));
  }
  return largest;
}

TEST(CosineSketch, FollowsSmoothDistributionsAndPartsMerge) {
  auto const values = Uniform(20000);
  CosineSketch whole({10, 0.0F, 1.0F, {}});
  whole.Add(values, {});
  EXPECT_LT(Distance(values, whole.Ranks()), 0.01);
  CosineSketch left({10, 0.0F, 1.0F, {}});
  CosineSketch right({10, 0.0F, 1.0F, {}});
  left.Add(Span<float const>(values).subspan(0, 7000), {});
  right.Add(Span<float const>(values).subspan(7000, 13000), {});
  left.Merge(right);
  auto const merged = left.Ranks();
  auto const expected = whole.Ranks();
  ASSERT_EQ(merged.values.size(), expected.values.size());
  for (std::size_t i = 0; i < merged.values.size(); ++i) EXPECT_NEAR(merged.values[i], expected.values[i], 1e-6F);
  EXPECT_EQ(whole.RankErrorBound(), 1.0);
}

TEST(CosineSketch, WholeWeightsAreRepeatedValues) {
  auto const values = Uniform(2000);
  std::vector<float> weights;
  std::vector<float> repeated;
  for (std::size_t i = 0; i < values.size(); ++i) {
    weights.push_back(static_cast<float>(i % 3));
    repeated.insert(repeated.end(), i % 3, values[i]);
  }
  CosineSketch weighted({8, 0.0F, 1.0F, {16, 64}});
  CosineSketch plain({8, 0.0F, 1.0F, {16, 64}});
  weighted.Add(values, weights);
  plain.Add(repeated, {});
  EXPECT_EQ(weighted.Ranks().values, plain.Ranks().values);
  EXPECT_EQ(weighted.Ranks().below, plain.Ranks().below);
}

TEST(CosineSketch, FewValuesAndNothingAreExact) {
  CosineSketch sketch({10, 0.0F, 0.0F, {}});
  EXPECT_TRUE(sketch.Ranks().values.empty());
  sketch.Add(std::vector<float>(3000, 0.0F), {});
  EXPECT_EQ(sketch.Ranks().values, std::vector<float>{0.0F});
  EXPECT_EQ(sketch.RankErrorBound(), 0.0);
}

}  // namespace
}  // namespace kauri
