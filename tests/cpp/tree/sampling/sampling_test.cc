#include "tree/sampling/sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace kauri {
namespace {

using Columns = std::vector<std::uint32_t>;

TreeParam MakeParam(float by_tree, float by_level, float by_node) {
  TreeParam param;
  param.Init(std::map<std::string, std::string>());
  param.colsample_bytree = by_tree;
  param.colsample_bylevel = by_level;
  param.colsample_bynode = by_node;
  return param;
}

ColumnSampler MakeSampler(TreeParam const& param, std::int64_t n_features, std::uint64_t seed = 7,
                          std::int64_t iteration = 0, std::int64_t tree = 0) {
  TreePlace place;
  place.iteration = iteration;
  place.tree_in_iteration = tree;
  return {param, seed, place, n_features};
}

bool IsSubset(Columns const& a, Columns const& b) { return std::includes(b.begin(), b.end(), a.begin(), a.end()); }

bool IsSortedSet(Columns const& a) {
  return std::is_sorted(a.begin(), a.end()) && std::adjacent_find(a.begin(), a.end()) == a.end();
}

TEST(SampleRows, AllWhenTheRateIsOne) { EXPECT_TRUE(SampleRows({}, 0, 0, 1.0F, 100).empty()); }

TEST(SampleRows, RateIsMetWithinFourSigma) {
  constexpr std::int64_t kRows = 200000;
  for (float const rate : {0.1F, 0.5F, 0.93F}) {
    auto const used = SampleRows({}, 3, 1, rate, kRows);
    auto const count = std::accumulate(used.begin(), used.end(), 0.0);
    auto const sigma = std::sqrt(kRows * static_cast<double>(rate) * (1.0 - static_cast<double>(rate)));
    EXPECT_NEAR(count, static_cast<double>(rate) * kRows, 4.0 * sigma) << rate;
  }
}

RowNumbers Exactly(std::int64_t n) { return RowNumbers::DrawnExactly({}, n); }

TEST(SampleExactly, AsManyRowsAsAreAskedFor) {
  for (std::int64_t const n : {1, 2, 10, 31, 32, 33, 255, 257, 70000}) {
    for (float const rate : {0.001F, 0.1F, 0.3F, 0.5F, 0.7F, 0.999F}) {
      auto const used = SampleRows({}, 3, 1, rate, n, Exactly(n));
      ASSERT_EQ(std::accumulate(used.begin(), used.end(), std::int64_t{0}), NumChosenRows(rate, n))
          << rate << " of " << n;
    }
  }
  EXPECT_TRUE(SampleRows({}, 3, 1, 0.5F, 0, Exactly(0)).empty());
  EXPECT_EQ(NumChosenRows(0.7F, 10), 7);  // although the float is below 0.7
  EXPECT_EQ(NumChosenRows(0.3F, 10), 3);
  EXPECT_EQ(NumChosenRows(0.5F, 11), 5);
  EXPECT_EQ(NumChosenRows(0.01F, 10), 1);
  EXPECT_EQ(NumChosenRows(0.5F, 1000000000), 500000000);
  EXPECT_EQ(NumChosenRows(0.5F, 0), 0);
}

/// Over many trees all rows, and all pairs of rows, are sampled equally often.
TEST(SampleExactly, EachSetIsAsLikely) {
  constexpr std::int64_t kRows = 20;
  constexpr std::int64_t kTrees = 20000;
  std::vector<double> rows(kRows);
  double pairs = 0.0;
  for (std::int64_t tree = 0; tree < kTrees; ++tree) {
    auto const used = SampleRows({}, 0, tree, 0.25F, kRows, Exactly(kRows));
    for (std::int64_t row = 0; row < kRows; ++row) rows[row] += used[row];
    pairs += used[3] * used[11];
  }
  for (auto const count : rows) EXPECT_NEAR(count, 0.25 * kTrees, 4.0 * std::sqrt(0.25 * 0.75 * kTrees));
  auto const share = 5.0 * 4.0 / (20.0 * 19.0);
  EXPECT_NEAR(pairs, share * kTrees, 4.0 * std::sqrt(share * (1.0 - share) * kTrees));
}

/// Sampling does not depend on the rank of a row, or on the number of rows of a rank.
TEST(SampleExactly, RowsOfRanksAreThoseOfOneProcess) {
  constexpr std::int64_t kRows = 100000;
  auto const whole = SampleRows({}, 1, 0, 0.4F, kRows, Exactly(kRows));
  std::vector<RowRange> const ranges{{70000, 20000}, {10, 500}};
  auto const mine = SampleRows({}, 1, 0, 0.4F, 20500, RowNumbers::DrawnExactly(ranges, kRows));
  EXPECT_TRUE(std::equal(mine.begin(), mine.begin() + 20000, whole.begin() + 70000));
  EXPECT_TRUE(std::equal(mine.begin() + 20000, mine.end(), whole.begin() + 10));
}

TEST(SampleRows, DependsOnSeedIterationAndTreeOnly) {
  Context one;
  Context eight;
  eight.threads = 8;
  Context other;
  other.seed = 1;
  auto const used = SampleRows(one, 2, 1, 0.5F, 200001);
  EXPECT_EQ(used, SampleRows(one, 2, 1, 0.5F, 200001));
  EXPECT_EQ(used, SampleRows(eight, 2, 1, 0.5F, 200001));
  EXPECT_NE(used, SampleRows(other, 2, 1, 0.5F, 200001));
  EXPECT_NE(used, SampleRows(one, 3, 1, 0.5F, 200001));
  EXPECT_NE(used, SampleRows(one, 2, 2, 0.5F, 200001));
}

TEST(ColumnSampler, Counts) {  // measured with XGBoost 3.2.0
  EXPECT_EQ(SampledColumnCount(0.29F, 10), 2);
  EXPECT_EQ(SampledColumnCount(0.05F, 10), 1);
  EXPECT_EQ(SampledColumnCount(0.7F, 7), 4);
  EXPECT_EQ(SampledColumnCount(1.0F, 7), 7);
  EXPECT_EQ(SampledColumnCount(0.5F, 0), 0);
}

TEST(ColumnSampler, AllColumnsWhenRatesAreOne) {
  auto const sampler = MakeSampler(MakeParam(1.0F, 1.0F, 1.0F), 5);
  EXPECT_EQ(sampler.TreeSet(), (Columns{0, 1, 2, 3, 4}));
  EXPECT_EQ(sampler.NodeSet(3, 9), sampler.TreeSet());
  EXPECT_FALSE(sampler.SamplesLevels());
  EXPECT_FALSE(sampler.SamplesNodes());
}

TEST(ColumnSampler, SetsAreNestedSortedAndOfTheRightSize) {
  auto const sampler = MakeSampler(MakeParam(0.8F, 0.5F, 0.5F), 50);
  EXPECT_EQ(sampler.TreeSet().size(), 40U);
  EXPECT_TRUE(IsSortedSet(sampler.TreeSet()));
  std::set<Columns> levels;
  std::set<Columns> nodes;
  for (std::int32_t depth = 0; depth < 4; ++depth) {
    auto const level = sampler.LevelSet(depth);
    EXPECT_EQ(level.size(), 20U);
    EXPECT_TRUE(IsSortedSet(level) && IsSubset(level, sampler.TreeSet()));
    levels.insert(level);
    for (std::int32_t node = 0; node < 4; ++node) {
      auto const set = sampler.NodeSet(depth, node);
      EXPECT_EQ(set.size(), 10U);
      EXPECT_TRUE(IsSortedSet(set) && IsSubset(set, level));
      nodes.insert(set);
    }
  }
  EXPECT_EQ(levels.size(), 4U);
  EXPECT_EQ(nodes.size(), 16U);
}

TEST(ColumnSampler, EachColumnIsAsLikelyAsAnother) {
  std::vector<double> drawn(20, 0.0);
  constexpr int kTrees = 4000;
  for (int tree = 0; tree < kTrees; ++tree) {
    auto const sampler = MakeSampler(MakeParam(0.25F, 1.0F, 1.0F), 20, 7, tree);
    for (auto const column : sampler.TreeSet()) drawn[column] += 1.0;
  }
  for (auto const count : drawn) EXPECT_NEAR(count, kTrees * 0.25, 4.5 * std::sqrt(kTrees * 0.25 * 0.75));
}

TEST(ColumnSampler, DependsOnSeedIterationAndTree) {
  auto const param = MakeParam(0.5F, 1.0F, 1.0F);
  auto const set = MakeSampler(param, 64).TreeSet();
  EXPECT_EQ(set, MakeSampler(param, 64).TreeSet());
  EXPECT_NE(set, MakeSampler(param, 64, 8).TreeSet());
  EXPECT_NE(set, MakeSampler(param, 64, 7, 1).TreeSet());
  EXPECT_NE(set, MakeSampler(param, 64, 7, 0, 1).TreeSet());
}

ColumnSampler MakeWeighted(TreeParam const& param, std::vector<float> const& weights, std::int64_t tree) {
  TreePlace place;
  place.tree_in_iteration = tree;
  place.feature_weights = weights;
  return {param, 7, place, static_cast<std::int64_t>(weights.size())};
}

/// Returns the probability that each column is among the first two draws without replacement.
std::vector<double> ChancesOfTwo(std::vector<float> const& weights) {
  auto const total = static_cast<double>(std::accumulate(weights.begin(), weights.end(), 0.0F));
  std::vector<double> chances;
  for (std::size_t column = 0; column < weights.size(); ++column) {
    auto const own = static_cast<double>(weights[column]);
    auto chance = own / total;
    for (std::size_t first = 0; first < weights.size(); ++first) {
      auto const other = static_cast<double>(weights[first]);
      if (first != column) chance += other / total * own / (total - other);
    }
    chances.push_back(chance);
  }
  return chances;
}

TEST(ColumnSampler, WeightedColumnsAreDrawnAsOftenAsTheyShould) {
  constexpr int kTrees = 20000;
  std::vector<float> const weights{1.0F, 2.0F, 3.0F, 0.5F, 10.0F, 1.0F};
  auto const chances = ChancesOfTwo(weights);
  std::vector<double> drawn(weights.size(), 0.0);
  for (int tree = 0; tree < kTrees; ++tree) {
    auto const sampler = MakeWeighted(MakeParam(0.34F, 1.0F, 1.0F), weights, tree);
    ASSERT_EQ(sampler.TreeSet().size(), 2U);
    ASSERT_TRUE(IsSortedSet(sampler.TreeSet()));
    for (auto const column : sampler.TreeSet()) drawn[column] += 1.0;
  }
  for (std::size_t column = 0; column < weights.size(); ++column) {
    auto const sigma = std::sqrt(kTrees * chances[column] * (1.0 - chances[column]));
    EXPECT_NEAR(drawn[column], kTrees * chances[column], 4.0 * sigma) << column;
  }
}

TEST(ColumnSampler, ColumnsWithoutWeightComeLast) {
  std::vector<float> const weights{0.0F, 1.0F, 0.0F, 1.0F, 0.0F, 1.0F};
  for (int tree = 0; tree < 100; ++tree) {
    auto const half = MakeWeighted(MakeParam(1.0F, 1.0F, 0.5F), weights, tree);
    EXPECT_EQ(half.TreeSet().size(), 6U);
    EXPECT_EQ(half.NodeSet(1, 2), (Columns{1, 3, 5}));
    auto const level = MakeWeighted(MakeParam(1.0F, 0.7F, 1.0F), weights, tree).LevelSet(1);
    EXPECT_EQ(level.size(), 4U);
    EXPECT_TRUE(IsSubset({1, 3, 5}, level));
  }
}

}  // namespace
}  // namespace kauri
