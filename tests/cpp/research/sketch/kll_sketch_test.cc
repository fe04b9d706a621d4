#include "research/sketch/kll_sketch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/sketch/gk_sketch.h"
#include "support/random_matrix.h"

namespace kauri {
namespace {

using testing::Random;

std::vector<float> Normal(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(random.Normal());
  return values;
}

/// Returns the largest difference between the sketch's ranks and exact ranks, as a share of all weight.
double LargestError(KllSketch const& sketch, std::vector<float> const& values, std::vector<float> const& weights) {
  auto const exact = RanksOf(ExactSummary(values, weights));
  auto const ranks = sketch.Ranks();
  auto largest = 0.0;
  for (std::size_t i = 0; i < exact.values.size(); ++i) {
    auto const at = std::lower_bound(ranks.values.begin(), ranks.values.end(), exact.values[i]) - ranks.values.begin();
    auto const stated = ranks.below[static_cast<std::size_t>(at)] / ranks.below.back();
    largest = std::max(largest, std::fabs(stated - exact.below[i] / exact.below.back()));
  }
  return largest;
}

TEST(KllSketch, SizeTwoByHand) {
  // The capacity of one level is 3. The fourth value exceeds it: of the sorted 1 2 3 4, the odd or the even ones go up.
  KllSketch sketch(2);
  sketch.Add(std::vector<float>{3.0F, 1.0F, 4.0F}, {});
  EXPECT_EQ(sketch.RankErrorBound(), 0.0);
  EXPECT_EQ(sketch.Ranks().values, (std::vector<float>{1.0F, 3.0F, 4.0F}));
  sketch.Add(std::vector<float>{2.0F}, {});
  auto const ranks = sketch.Ranks();
  auto const is_odd = ranks.values.front() == 2.0F;
  EXPECT_EQ(ranks.values, (is_odd ? std::vector<float>{2.0F, 4.0F} : std::vector<float>{1.0F, 3.0F}));
  EXPECT_EQ(ranks.below, (std::vector<double>{0.0, 2.0, 4.0}));
  EXPECT_GT(sketch.RankErrorBound(), 0.0);
}

TEST(KllSketch, RankErrorIsBelowThePublishedOneInNinetyNineOfAHundredRuns) {
  // For k = 200 the error is 1.33 % of rank, for a single rank (the median), with probability 99 %.
  constexpr int kRuns = 500;
  auto const values = Normal(20000, 5);
  auto sorted = values;
  std::sort(sorted.begin(), sorted.end());
  auto const median = sorted[10000];
  auto n_within = 0;
  auto n_within_bound = 0;
  for (int run = 0; run < kRuns; ++run) {
    KllSketch sketch(200, static_cast<std::uint64_t>(run));
    sketch.Add(values, {});
    auto const ranks = sketch.Ranks();
    auto const at = std::lower_bound(ranks.values.begin(), ranks.values.end(), median) - ranks.values.begin();
    auto const error = std::fabs(ranks.below[static_cast<std::size_t>(at)] / 20000.0 - 0.5);
    n_within += error <= 0.0133 ? 1 : 0;
    n_within_bound += error <= sketch.RankErrorBound() ? 1 : 0;
    EXPECT_EQ(ranks.below.back(), 20000.0);
    EXPECT_LT(sketch.NumValues(), 3U * 200U + 40U);
  }
  EXPECT_GE(n_within, kRuns * 99 / 100);
  EXPECT_GE(n_within_bound, kRuns * 99 / 100);
}

TEST(KllSketch, WholeWeightsAreRepeatedValues) {
  Random random(3);
  std::vector<float> values;
  std::vector<float> weights;
  for (int i = 0; i < 3000; ++i) {
    values.push_back(random.Normal());
    weights.push_back(static_cast<float>(random.Below(9)));
  }
  KllSketch sketch(300);
  sketch.Add(values, weights);
  auto const exact = RanksOf(ExactSummary(values, weights));
  EXPECT_EQ(sketch.Ranks().below.back(), exact.below.back());  // no weight is lost
  EXPECT_LT(LargestError(sketch, values, weights), sketch.RankErrorBound());
  EXPECT_LT(sketch.RankErrorBound(), 0.03);
}

TEST(KllSketch, AnyWeightsKeepTwelveDigits) {
  Random random(4);
  std::vector<float> values;
  std::vector<float> weights;
  for (int i = 0; i < 5000; ++i) {
    values.push_back(random.Normal());
    weights.push_back(static_cast<float>(std::exp(6.0 * random.Uniform()) * 1e-3));
  }
  KllSketch sketch(400);
  sketch.Add(values, weights);
  auto const total = RanksOf(ExactSummary(values, weights)).below.back();
  EXPECT_NEAR(sketch.Ranks().below.back(), total, total / 4096.0);
  EXPECT_LT(LargestError(sketch, values, weights), 0.02);
}

TEST(KllSketch, PartsMergeWithinTheBound) {
  auto const values = Normal(30000, 8);
  KllSketch whole(200);
  for (std::size_t begin = 0; begin < values.size(); begin += 1500) {
    KllSketch part(200, begin);
    part.Add(Span<float const>(values).subspan(begin, 1500), {});
    whole.Merge(part);
  }
  EXPECT_EQ(whole.Ranks().below.back(), 30000.0);
  EXPECT_LT(LargestError(whole, values, {}), whole.RankErrorBound());
  EXPECT_LT(whole.Bytes(), 8000U);
}

TEST(KllSketch, NothingAndMissingValuesAndOneZero) {
  KllSketch sketch(8);
  EXPECT_TRUE(sketch.Ranks().values.empty());
  EXPECT_EQ(sketch.RankErrorBound(), 0.0);
  auto const nan = std::numeric_limits<float>::quiet_NaN();
  sketch.Add(std::vector<float>{nan, 5.0F, 0.0F, -0.0F}, std::vector<float>{1.0F, 0.0F, 1.0F, 1.0F});
  EXPECT_EQ(sketch.Ranks().values, std::vector<float>{0.0F});
  EXPECT_EQ(sketch.Ranks().below, (std::vector<double>{0.0, 2.0}));
}

TEST(KllSketch, SameCallsSameBits) {
  auto const values = Normal(10000, 2);
  KllSketch first(50);
  KllSketch second(50);
  first.Add(values, {});
  second.Add(values, {});
  EXPECT_EQ(first.Ranks().values, second.Ranks().values);
  KllSketch other_seed(50, 1);
  other_seed.Add(values, {});
  EXPECT_NE(first.Ranks().values, other_seed.Ranks().values);
}

}  // namespace
}  // namespace kauri
