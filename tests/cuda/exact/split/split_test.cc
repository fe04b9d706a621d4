/// Split finding of both phases against trying every split on the host, bit for bit.
#include "exact/split/exact_split_fixture.h"

namespace kauri::testing {
namespace {

INSTANTIATE_TEST_SUITE_P(Phases, SplitPhaseTest, ::testing::Values(Phase::kSorted, Phase::kInterleaved),
                         [](auto const& phase) {
                           return phase.param == Phase::kSorted ? std::string("Sorted") : std::string("Interleaved");
                         });

/// Sizes around lanes, rounds (128) and tiles (512); nodes without rows.
std::vector<std::int64_t> EdgeSizes() { return {1, 31, 32, 33, 127, 128, 129, 511, 512, 513, 2100, 0, 2, 0, 640, 3}; }

TEST_P(SplitPhaseTest, NodesOfEverySize) {
  for (auto const n_distinct : {0U, 5U}) {
    for (auto const missing : {0.0, 0.3}) {
      SCOPED_TRACE(::testing::Message() << n_distinct << " values, missing " << missing);
      auto level = MakeLevel({EdgeSizes(), 700, 3, missing, n_distinct, false, 1});
      Compare(level);
      level.param.min_child_weight = 0.0;
      level.param.lambda = 0.0;
      Compare(level);
    }
  }
}

TEST_P(SplitPhaseTest, AnyNumberOfNodes) {
  for (auto const n_nodes : {1U, 2U, 3U, 4U, 5U, 8U, 9U, 16U, 17U, 31U, 32U}) {
    SCOPED_TRACE(n_nodes);
    Compare(MakeLevel({std::vector<std::int64_t>(n_nodes, 300), 50, 2, 0.2, 0, false, n_nodes}));
  }
}

/// The most nodes that the interleaved phase supports, of every size; and few enough for its registers.
TEST_P(SplitPhaseTest, ManyNodesAndFew) {
  auto sizes = EdgeSizes();
  sizes.insert(sizes.end(), {700, 1, 0, 33, 5, 16, 15, 17, 512, 1, 1, 90, 0, 0, 64, 900});
  for (auto const n_distinct : {0U, 4U}) {
    for (auto const missing : {0.0, 0.4}) {
      for (auto const n_nodes : {1U, 2U, 3U, 4U, 32U}) {
        SCOPED_TRACE(::testing::Message() << n_nodes << " nodes, " << n_distinct << " values, missing " << missing);
        std::vector<std::int64_t> const some(sizes.end() - n_nodes, sizes.end());
        Compare(MakeLevel({some, 800, 3, missing, n_distinct, n_distinct == 4, 20 + n_nodes}));
      }
    }
  }
}

TEST_P(SplitPhaseTest, NodesThatEndWithRoundsAndTiles) {
  using Sizes = std::vector<std::int64_t>;
  for (auto const& sizes :
       {Sizes{512}, Sizes{128}, Sizes{512, 512}, Sizes{128, 128, 256}, Sizes{640, 384}, Sizes{1024, 0, 512, 1},
        Sizes{127, 1, 383, 1, 512}, Sizes{16}, Sizes{15}, Sizes{17}, Sizes{528}, Sizes{144, 512}}) {
    for (auto const n_distinct : {0U, 3U}) {
      SCOPED_TRACE(::testing::Message() << "first of " << sizes.size() << ": " << sizes[0] << ", " << n_distinct);
      Compare(MakeLevel({sizes, 0, 1, 0.0, n_distinct, false, 2}));
      Compare(MakeLevel({sizes, 0, 2, 0.0, n_distinct, false, 2}));
    }
  }
}

TEST_P(SplitPhaseTest, ShortColumns) {
  for (auto const missing : {0.9, 0.99, 1.0}) {
    SCOPED_TRACE(missing);
    auto level = MakeLevel({{100, 40, 1}, 30, 12, missing, 0, false, 3});
    level.param.min_child_weight = 0.0;
    Compare(level);
  }
}

TEST_P(SplitPhaseTest, AllValuesEqual) {
  auto const constant = [](double missing) {
    auto level = MakeLevel({{600, 31, 1}, 9, 2, missing, 1, false, 4});
    for (auto& entry : level.columns[0]) entry.value = 5.0F;
    for (auto& entry : level.columns[1]) entry.value = -3.0F;
    return level;
  };
  for (auto const& split : Compare(constant(0.0))) EXPECT_FALSE(split.IsValid());
  auto const found = Compare(constant(0.4));
  EXPECT_TRUE(found[0].IsValid());  // missing alone
  EXPECT_TRUE(found[0].default_left);
}

/// The best split has all present rows on one side.
TEST_P(SplitPhaseTest, MissingAlone) {
  for (auto const largest : {7.0F, FLT_MAX}) {
    for (auto const smallest : {-7.0F, -FLT_MAX}) {
      SCOPED_TRACE(::testing::Message() << smallest << " to " << largest);
      auto level = MakeLevel({{600, 31, 200, 1}, 9, 1, 0.3, 0, true, 14});
      for (auto& pair : level.pairs) pair.gradient = -1;
      for (auto& entry : level.columns[0]) level.pairs[entry.row].gradient = 1;
      for (std::size_t i = 0; i < level.columns[0].size(); ++i) {
        if (i % 10 == 0) level.columns[0][i].value = i % 20 == 0 ? largest : smallest;
      }
      level.SortColumns();
      auto const found = Compare(level);
      EXPECT_EQ(found[0].default_left, largest == FLT_MAX);
    }
  }
}

TEST_P(SplitPhaseTest, TiesGoByFeatureDirectionAndThreshold) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    auto level = MakeLevel({{600, 40, 9, 5, 4, 3, 2}, 20, 4, seed % 3 * 0.2, 6, true, seed});
    level.columns[2] = level.columns[0];
    level.columns[3] = level.columns[1];
    level.SortColumns();
    level.param.lambda = seed % 2 == 0 ? 1.0 : 0.0;
    Compare(level);
  }
}

/// Gradients 1, -1, -1, 1 at values 0, 1, 2, 3: the first and the last boundary have equal gains.
Level MirroredLevel(std::int64_t copies, bool lacks_values) {
  auto level = MakeLevel({{4 * copies}, lacks_values ? 1 : 0, 1, 0.0, 1, true, 6});
  std::int64_t place = 0;
  std::vector<ColumnEntry> column;
  for (auto const entry : level.columns[0]) {
    if (level.node_of_row[entry.row] == kFinished) continue;  // the row that lacks the value
    auto const value = place++ / copies;
    level.pairs[entry.row] = {value == 0 || value == 3 ? 1 : -1, 1};
    column.push_back({entry.row, static_cast<float>(value)});
  }
  level.columns[0] = column;
  level.SortColumns();
  return level;
}

TEST_P(SplitPhaseTest, EqualThresholds) {
  for (auto const copies : {1, 10, 128, 300}) {
    SCOPED_TRACE(copies);
    auto const downwards = Compare(MirroredLevel(copies, false));
    EXPECT_EQ(downwards[0].threshold, 2.5F);
    EXPECT_TRUE(downwards[0].default_left);
    auto const upwards = Compare(MirroredLevel(copies, true));
    EXPECT_EQ(upwards[0].threshold, 0.5F);
    EXPECT_FALSE(upwards[0].default_left);
  }
}

TEST_P(SplitPhaseTest, ExtremeValues) {
  auto level = MakeLevel({{700, 50}, 0, 2, 0.3, 4, false, 7});
  std::vector<float> const values = {-FLT_MAX, std::nextafter(-FLT_MAX, 0.0F), 1.0F, FLT_MAX};
  for (auto& entry : level.columns[0]) entry.value = values[entry.value];
  std::vector<float> const near = {1.0F, std::nextafter(1.0F, 2.0F), 1e-45F, 0.0F};
  for (auto& entry : level.columns[1]) entry.value = near[entry.value];
  level.SortColumns();
  Compare(level);
  level.param.min_child_weight = 60.0;
  Compare(level);
}

TEST_P(SplitPhaseTest, Floors) {
  auto const level = MakeLevel({{900, 200, 30}, 10, 3, 0.1, 0, false, 8});
  auto const best = Compare(level);
  for (auto const& split : Compare(level, {{1e9, 1e9, 1e9}, {}, {}, {}})) EXPECT_FALSE(split.IsValid());
  std::vector<double> reached;
  std::vector<double> beyond;
  for (auto const& split : best) {
    reached.push_back(split.loss_change);
    beyond.push_back(std::nextafter(split.loss_change, 1e9));
  }
  ExpectSameSplits(best, Compare(level, {reached, {}, {}, {}}));  // a split equal to the floor counts
  for (auto const& split : Compare(level, {beyond, {}, {}, {}})) EXPECT_FALSE(split.IsValid());
}

TEST_P(SplitPhaseTest, ColumnsThatNodesMayUse) {
  auto const level = MakeLevel({{900, 200, 30, 513}, 10, 3, 0.1, 0, false, 9});
  Condition condition;
  condition.allowed.assign(static_cast<std::size_t>(level.n_nodes) * NumIds(level), 0);
  auto const allow = [&](std::size_t node, std::size_t feature) {
    condition.allowed[node * NumIds(level) + IdOf(feature)] = 1;
  };
  allow(0, 1);
  allow(1, 0);
  allow(1, 2);
  allow(3, 2);
  auto const found = Compare(level, condition);
  EXPECT_EQ(found[0].feature, IdOf(1));
  EXPECT_FALSE(found[2].IsValid());
}

TEST_P(SplitPhaseTest, WithoutTheScreen) {
  auto level = MakeLevel({EdgeSizes(), 100, 2, 0.2, 0, false, 10});
  level.param.alpha = 0.5;
  Compare(level);
  level.param.max_delta_step = 0.3;
  level.param.min_child_weight = 20.0;
  Compare(level);
}

TEST_P(SplitPhaseTest, MonotoneConstraints) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    auto level = MakeLevel({{900, 512, 33, 200, 7}, 100, 4, 0.2, seed % 2 == 0 ? 0U : 6U, seed > 3, 100 + seed});
    level.param.monotone = true;
    level.param.max_delta_step = seed % 3 == 0 ? 0.5 : 0.0;
    Condition condition;
    condition.signs = {0, 1, 0, -1, 0, 0, 0, 1, 0};
    condition.bounds.resize(5);
    condition.bounds[1] = {-0.01, 0.02};
    condition.bounds[2] = {0.3, 0.4};
    condition.bounds[3].upper = 0.0;
    auto const found = Compare(level, condition);
    for (auto const& split : found) {
      if (!split.IsValid()) continue;
      auto const& bounds = condition.bounds[&split - found.data()];
      auto const rise = NodeWeight(split.right, level.param, bounds) - NodeWeight(split.left, level.param, bounds);
      EXPECT_GE(rise * condition.signs[split.feature], 0.0);
    }
  }
}

TEST_P(SplitPhaseTest, ChunksOneAfterAnother) {
  auto const level = MakeLevel({{600, 40, 9, 3}, 20, 4, 0.1, 5, true, 11});
  auto const expected = NaiveSplits(level, {});
  for (auto const first : {0U, 2U}) {  // the first chunk has the lower features, then the higher ones
    auto const condition = MakeDeviceCondition(Cuda(), level, {});
    for (auto const begin : {first, 2U - first}) {
      auto part = level;
      part.columns = {level.columns[begin], level.columns[begin + 1]};
      part.SortColumns();
      auto entries = MakeDeviceLevel(Cuda(), LayOut(part, GetParam() == Phase::kSorted), part.both_ways);
      auto const a = static_cast<std::int32_t>(IdOf(begin));
      entries.chunk.feature_ids = cuda::ToDevice(Cuda(), std::vector<std::int32_t>{a, a + 2});
      FindOnDevice(Cuda(), GetParam(), part, &entries, condition);
    }
    ExpectSameSplits(expected, Fetch(Cuda(), condition.best));
  }
}

/// Makes the best split lie between the largest values.
void RaiseTopValues(Level* level) {
  for (auto const entry : level->columns[0]) {
    if (entry.value > 1.9F) level->pairs[entry.row].gradient = 1 << 20;
  }
}

/// Has more tiles than one pass of a block covers.
TEST_P(SplitPhaseTest, LongNodes) {
  auto level = MakeLevel({{300000, 9000}, 1000, 1, 0.05, 0, false, 12});
  RaiseTopValues(&level);
  EXPECT_GT(Compare(level)[0].threshold, 1.8F);
}

TEST_F(SplitTest, ManyNodesOfTheSortedPhase) {
  std::vector<std::int64_t> sizes(1200, 3);
  for (std::size_t node = 0; node < sizes.size(); node += 7) sizes[node] = static_cast<std::int64_t>(node % 5);
  sizes[600] = 20000;  // more tiles than a warp has lanes
  auto level = MakeLevel({sizes, 50, 2, 0.1, 0, false, 13});
  RaiseTopValues(&level);
  EXPECT_GT(Compare(Phase::kSorted, level)[600].threshold, 1.8F);
}

}  // namespace
}  // namespace kauri::testing
