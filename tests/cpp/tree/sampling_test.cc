#include "tree/sampling.h"

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
  TreeTask task;
  task.iteration = iteration;
  task.tree_in_iteration = tree;
  return {param, seed, task, n_features};
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

TEST(ColumnSampler, Counts) {  // as measured on XGBoost 3.2.0
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

}  // namespace
}  // namespace kauri
