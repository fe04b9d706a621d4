#include "research/sketch/moment_sketch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "research/sketch/moment_density.h"
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

TEST(MaxEntropy, HasTheMomentsAndIsADistribution) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    auto values = Normal(3000, 0.0F, 1.0F, seed);
    if (seed % 2 == 1) {
      for (auto& value : values) value = value * value;
    }
    PowerSumTree sums(6);
    sums.Add(values, {});
    auto const moments = sums.Sums().MappedMoments();
    auto const cdf = MaxEntropyCdf(moments);
    EXPECT_TRUE(std::is_sorted(cdf.begin(), cdf.end()));
    EXPECT_EQ(cdf.front(), 0.0);
    EXPECT_NEAR(cdf.back(), 1.0, 1e-12);
    for (std::size_t k = 0; k < moments.size(); ++k) {
      double fitted = 0.0;
      for (std::size_t cell = 0; cell < kCdfCells; ++cell) {
        fitted += (cdf[cell + 1] - cdf[cell]) * std::pow(2.0 * (cell + 0.5) / kCdfCells - 1.0, k);
      }
      EXPECT_NEAR(fitted, moments[k], 1e-6) << k;
    }
  }
}

TEST(MaxEntropy, GivesUpMomentsThatNoDensityHas) {
  // Two points: the fit fails order by order, down to an order that a density can match.
  std::vector<double> const two_points{1.0, 0.0, 1.0, 0.0, 1.0};
  auto const cdf = MaxEntropyCdf(two_points);
  EXPECT_NEAR(cdf.back(), 1.0, 1e-12);
  EXPECT_NEAR(cdf[kCdfCells / 2], 0.5, 1e-6);
  auto const even = MaxEntropyCdf(std::vector<double>{1.0});
  EXPECT_NEAR(even[kCdfCells / 4], 0.25, 1e-12);
}

TEST(Legendre, IsExactForPolynomials) {
  // The density (1 + x) / 2 has the distribution (1 + x)^2 / 4.
  auto const cdf = LegendreCdf(std::vector<double>{1.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 5.0, 1.0 / 5.0});
  for (std::size_t cell = 0; cell <= kCdfCells; cell += 512) {
    auto const x = 2.0 * static_cast<double>(cell) / kCdfCells - 1.0;
    EXPECT_NEAR(cdf[cell], 0.25 * (1.0 + x) * (1.0 + x), 1e-13);
  }
}

/// Returns the mean difference between both distributions over the range, computed from the values.
double Distance(std::vector<float> values, ColumnRanks const& ranks) {
  std::sort(values.begin(), values.end());
  double sum = 0.0;
  constexpr int kPlaces = 2000;
  for (int i = 1; i < kPlaces; ++i) {
    auto const x = values.front() + (values.back() - values.front()) * static_cast<float>(i) / kPlaces;
    auto const truth = std::lower_bound(values.begin(), values.end(), x) - values.begin();
    auto const stated = std::lower_bound(ranks.values.begin(), ranks.values.end(), x) - ranks.values.begin();
    sum += std::fabs(static_cast<double>(truth) / static_cast<double>(values.size()) -
                     ranks.below[stated] / ranks.below.back());
  }
  return sum / kPlaces;
}

TEST(MomentSketch, FollowsSmoothDistributionsFarFromZero) {
  for (auto const& values : {Normal(20000, 0.0F, 1.0F), Normal(20000, 1000.0F, 1.0F)}) {
    for (bool const is_legendre : {false, true}) {
      MomentOptions options;
      options.is_legendre = is_legendre;
      MomentSketch sketch(options);
      sketch.Add(values, {});
      EXPECT_LT(Distance(values, sketch.Ranks()), is_legendre ? 0.01 : 0.002);
      EXPECT_EQ(sketch.RankErrorBound(), 1.0);
      EXPECT_LT(sketch.Bytes(), 1500U);  // four blocks and more
    }
  }
}

TEST(MomentSketch, QuantilesMoveAndScaleWithTheData) {
  std::vector<float> values;
  std::vector<float> moved;
  Random random(2);
  for (int i = 0; i < 4000; ++i) {
    values.push_back(static_cast<float>(random.Below(1 << 12)) / 4096.0F);
    moved.push_back(values.back() * 4.0F + 1024.0F);
  }
  MomentSketch a{MomentOptions{}};
  MomentSketch b{MomentOptions{}};
  a.Add(values, {});
  b.Add(moved, {});
  auto const ranks = a.Ranks();
  auto const moved_ranks = b.Ranks();
  ASSERT_EQ(ranks.values.size(), moved_ranks.values.size());
  for (std::size_t i = 0; i < ranks.values.size(); i += 50) {
    EXPECT_NEAR(ranks.values[i] * 4.0F + 1024.0F, moved_ranks.values[i], 3e-4F);
  }
}

TEST(MomentSketch, FewValuesConstantsAndNothingAreExact) {
  MomentSketch sketch{MomentOptions{}};
  EXPECT_TRUE(sketch.Ranks().values.empty());
  sketch.Add(std::vector<float>(5000, 3.0F), {});
  EXPECT_EQ(sketch.Ranks().values, std::vector<float>{3.0F});
  MomentSketch other{MomentOptions{}};
  for (int i = 0; i < 256; ++i) other.Add(std::vector<float>{static_cast<float>(i)}, std::vector<float>{0.5F});
  EXPECT_EQ(other.RankErrorBound(), 0.0);
  EXPECT_EQ(other.Ranks().below[256], 128.0);
  other.Merge(sketch);  // its value is already known
  EXPECT_EQ(other.Ranks().values.size(), 256U);
  other.Add(std::vector<float>{0.5F}, {});
  EXPECT_EQ(other.RankErrorBound(), 1.0);
}

TEST(MomentSketch, HeavyTailsAndOutliersLoseTheBulk) {
  // The case that the file's head warns of: with one value at 1e6, the bulk gets a small part of its true weight.
  auto values = Normal(20000, 0.0F, 1.0F);
  values.push_back(1e6F);
  MomentSketch sketch{MomentOptions{}};
  sketch.Add(values, {});
  auto const ranks = sketch.Ranks();
  auto const stated = std::lower_bound(ranks.values.begin(), ranks.values.end(), 5.0F) - ranks.values.begin();
  EXPECT_LT(ranks.below[stated], 0.2 * ranks.below.back());
  EXPECT_TRUE(std::is_sorted(ranks.values.begin(), ranks.values.end()));
}

}  // namespace
}  // namespace kauri
