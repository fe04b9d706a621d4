#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <limits>
#include <numeric>
#include <string>

#include "support/built_tree.h"
#include "support/naive_exact_tree.h"
#include "support/random_matrix.h"
#include "support/same_tree.h"
#include "tree/exact/exact_builder.h"
#include "tree/growth/tree_common.h"
#include "tree/sampling/sampling.h"

namespace kauri {
namespace {

using testing::MakeGradients;
using testing::MakeMatrix;
using testing::MatrixSpec;
using testing::NaiveExactTree;
using testing::NaiveTask;
using testing::Random;

Built BuildTree(DataMatrix const& data, FixedGradients const& gradients, TreeParam const& param,
                std::vector<std::uint8_t> const& sampled = {}, int threads = 2) {
  Context ctx;
  ctx.threads = threads;
  ExactBuilder const builder(param);
  auto const state = builder.MakeState(ctx, data);
  TreeTask task;
  task.gradients = gradients.View();
  task.sampled_rows = sampled;
  task.place.n_rows = data.NumRows();
  Built built;
  built.leaf_of_row.assign(data.NumRows(), -7);
  built.tree = builder.Build(ctx, data, task, state.get(), built.leaf_of_row);
  return built;
}

Built BuildNaively(std::vector<float> const& values, std::size_t n_cols, FixedGradients const& gradients,
                   TreeParam const& param, std::vector<std::uint8_t> const& sampled = {}) {
  NaiveTask task;
  task.values = &values;
  task.n_cols = n_cols;
  task.pairs = &gradients.pairs;
  task.used = sampled.empty() ? std::vector<std::uint8_t>(gradients.pairs.size(), 1) : sampled;
  task.gain = MakeGainParam(param, gradients.unit);
  task.max_depth = param.max_depth == 0 ? 1 << 20 : param.max_depth;
  task.gamma = param.gamma;
  task.leaf_rate = param.eta;
  task.least_rows = param.min_data_in_leaf;
  ColumnSampler const columns(param, Context{}.seed, {}, static_cast<std::int64_t>(n_cols));
  if (param.extra_trees) task.columns = &columns;
  TreePlace place;
  place.n_rows = static_cast<std::int64_t>(gradients.pairs.size());
  task.noise = {param, place, testing::NaiveChanceGain(gradients, sampled), columns};
  Built built;
  built.tree = NaiveExactTree(task).Grow(&built.leaf_of_row);
  return built;
}

TreeParam RandomParam(Random* random) {
  auto param = DefaultParam();
  auto const pick = [random](std::vector<float> const& choices) {
    return choices[random->Below(static_cast<std::uint32_t>(choices.size()))];
  };
  param.eta = pick({0.3F, 1.0F, 0.05F});
  param.lambda = pick({0.0F, 1.0F, 5.0F});
  param.alpha = pick({0.0F, 0.0F, 0.7F});
  param.gamma = pick({0.0F, 0.0F, 0.5F, 2.0F});
  param.max_delta_step = pick({0.0F, 0.0F, 0.0F, 0.4F});
  param.min_child_weight = pick({0.0F, 0.1F, 1.0F, 5.0F});
  param.max_depth = static_cast<int>(random->Below(7));
  return param;
}

/// Compares the tree with the definition for random data and parameters. Returns the number of leaves.
std::int32_t CompareOnRandomCase(std::uint64_t seed, int least_rows = 0, bool draws = false, float strength = 0.0F) {
  Random random(seed);
  std::int64_t const sizes[] = {1, 2, 3, 31, 33, 64, 100, 257, 600};
  MatrixSpec spec;
  spec.seed = seed;
  spec.n_rows = sizes[random.Below(9)];
  spec.n_cols = 1 + random.Below(5);
  spec.missing = std::vector<double>{0.0, 0.1, 0.5, 0.95}[random.Below(4)];
  spec.n_distinct = std::vector<std::uint32_t>{0, 0, 1, 3, 20}[random.Below(5)];
  spec.sparse = random.Below(2) == 1;
  auto param = RandomParam(&random);
  param.min_data_in_leaf = least_rows;
  if (least_rows > 0 || draws) param.min_child_weight = 0.0F;
  param.extra_trees = draws;
  param.random_strength = strength;
  Context ctx;
  ctx.seed = seed;
  auto const sampled = SampleRows(ctx, 0, 0, random.Below(3) == 0 ? 0.6F : 1.0F, spec.n_rows);
  auto const gradients = MakeGradients(spec.n_rows, seed + 1, sampled);
  auto const values = testing::MakeValues(spec);
  auto const built = BuildTree(*MakeMatrix(spec), gradients, param, sampled);
  auto const naive = BuildNaively(values, static_cast<std::size_t>(spec.n_cols), gradients, param, sampled);
  ExpectSame(built, naive, "seed " + std::to_string(seed));
  EXPECT_NO_THROW(built.tree.Validate(spec.n_cols));
  return built.tree.NumLeaves();
}

TEST(Exact, EqualsTheDefinition) {
  for (std::uint64_t seed = 0; seed < 400 && !HasFailure(); ++seed) CompareOnRandomCase(seed);
}

TEST(Exact, LimitedRowsAsInTheDefinition) {
  std::int64_t n_leaves = 0;
  for (std::uint64_t seed = 0; seed < 200 && !HasFailure(); ++seed) {
    n_leaves += CompareOnRandomCase(seed, 2 + 6 * static_cast<int>(seed % 5));
  }
  EXPECT_GT(n_leaves, 600);
}

TEST(Exact, DrawnThresholdsAsInTheDefinition) {
  std::int64_t n_leaves = 0;
  for (std::uint64_t seed = 0; seed < 200 && !HasFailure(); ++seed) {
    n_leaves += CompareOnRandomCase(seed, seed % 3 == 0 ? 4 : 0, true);
  }
  EXPECT_GT(n_leaves, 400);
}

TEST(Exact, NoiseAsInTheDefinition) {
  std::int64_t n_leaves = 0;
  for (std::uint64_t seed = 0; seed < 300 && !HasFailure(); ++seed) {
    n_leaves += CompareOnRandomCase(seed, seed % 5 == 0 ? 4 : 0, seed % 7 == 0, 0.5F + static_cast<float>(seed % 4));
  }
  EXPECT_GT(n_leaves, 600);
}

TEST(Exact, DeepTreesEqualTheDefinition) {
  auto param = DefaultParam();
  param.max_depth = 0;
  param.min_child_weight = 0.0F;
  param.lambda = 0.1F;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    MatrixSpec const spec{700, 3, seed % 2 == 0 ? 0.0 : 0.3, seed < 2 ? 0U : 40U, false, seed};
    auto const gradients = MakeGradients(spec.n_rows, seed);
    auto const built = BuildTree(*MakeMatrix(spec), gradients, param);
    EXPECT_GT(built.tree.MaxDepth(), 8);
    ExpectSame(built, BuildNaively(testing::MakeValues(spec), 3, gradients, param), std::to_string(seed));
  }
}

TEST(Exact, SmallSizesAtEveryBlockBoundary) {
  auto param = DefaultParam();
  param.min_child_weight = 0.0F;
  param.max_depth = 3;
  for (std::int64_t n_rows = 1; n_rows < 40; ++n_rows) {
    for (double const missing : {0.0, 0.3}) {
      MatrixSpec const spec{n_rows, 2, missing, 0, false, static_cast<std::uint64_t>(n_rows)};
      auto const gradients = MakeGradients(n_rows, 5);
      auto const naive = BuildNaively(testing::MakeValues(spec), 2, gradients, param);
      ExpectSame(BuildTree(*MakeMatrix(spec), gradients, param), naive, std::to_string(n_rows));
    }
  }
}

TEST(Exact, EdgeColumns) {
  auto const nan = std::numeric_limits<float>::quiet_NaN();
  auto const max = std::numeric_limits<float>::max();
  auto const tiny = std::numeric_limits<float>::denorm_min();
  std::vector<std::vector<float>> const columns{{nan, nan, nan, nan, nan, nan},
                                                {5, 5, 5, 5, 5, 5},
                                                {5, nan, 5, nan, 5, nan},
                                                {max, nan, -max, nan, max, nan},
                                                {max, nan, max, max, nan, max},
                                                {-max, nan, -max, -max, nan, -max},
                                                {tiny, -tiny, 0, -0.0F, 2 * tiny, tiny},
                                                {-0.0F, 0, -0.0F, 1, 0, 1},
                                                {1, 1.0000001F, 1, 1.0000002F, 1, 1},
                                                {max, -max, 1, max, -max, 0},
                                                {-1e30F, -1e30F, nan, -1e30F, nan, -2e30F}};
  auto param = DefaultParam();
  param.min_child_weight = 0.0F;
  param.lambda = 0.0F;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      auto const gradients = MakeGradients(6, seed);
      for (bool const sparse : {false, true}) {
        auto const built = BuildTree(*MakeMatrix(columns[i], 1, sparse), gradients, param);
        ExpectSame(built, BuildNaively(columns[i], 1, gradients, param), std::to_string(i));
        EXPECT_NO_THROW(built.tree.Validate(1));
      }
    }
  }
}

/// Five rows of squared error with base score 0, checked against XGBoost 3.2.0 (tree_method=exact, eta 1, lambda 1,
/// depth 1, min_child_weight 0): separating the missing values alone is a valid split.
TEST(Exact, MissingAloneHasXgboostsThreshold) {
  auto const nan = std::numeric_limits<float>::quiet_NaN();
  auto param = DefaultParam();
  param.min_child_weight = 0.0F;
  param.max_depth = 1;
  std::vector<GradientPair> const pairs{{-1, 1}, {-1, 1}, {-1, 1}, {1, 1}, {1, 1}};
  FixedGradients gradients;
  QuantiseGradients(Context{}, pairs, 1, 0, {}, &gradients);
  auto const two_values = BuildTree(*MakeMatrix({1, 3, 1, nan, nan}, 1, false), gradients, param);
  EXPECT_EQ(two_values.tree.split_value[0], 6.000001F);
  EXPECT_EQ(two_values.tree.default_left[0], 0);
  auto const one_value = BuildTree(*MakeMatrix({1, 1, 1, nan, nan}, 1, false), gradients, param);
  EXPECT_EQ(one_value.tree.split_value[0], -9.53674316e-07F);
  EXPECT_EQ(one_value.tree.default_left[0], 1);
}

/// A complete column keeps the highest of equal thresholds; a column with missing values keeps the lowest.
TEST(Exact, TiesFollowTheScan) {
  auto const nan = std::numeric_limits<float>::quiet_NaN();
  auto param = DefaultParam();
  param.min_child_weight = 0.0F;
  param.max_depth = 1;
  std::vector<GradientPair> const pairs{{-1, 1}, {1, 1}, {1, 1}, {-1, 1}, {0, 0}};
  FixedGradients gradients;
  QuantiseGradients(Context{}, pairs, 1, 0, {}, &gradients);
  auto const complete = BuildTree(*MakeMatrix({1, 2, 3, 4, 4}, 1, false), gradients, param);
  EXPECT_EQ(complete.tree.split_value[0], 3.5F);
  EXPECT_EQ(complete.tree.default_left[0], 1);
  auto const holed = BuildTree(*MakeMatrix({1, 2, 3, 4, nan}, 1, false), gradients, param);
  EXPECT_EQ(holed.tree.split_value[0], 1.5F);
  EXPECT_EQ(holed.tree.default_left[0], 0);
}

TEST(Exact, ThreadsAndRunsChangeNothing) {
  for (double const missing : {0.0, 0.4}) {
    MatrixSpec const spec{30000, 6, missing, 0, missing > 0.0, 3};
    auto const data = MakeMatrix(spec);
    auto const gradients = MakeGradients(spec.n_rows, 4);
    auto param = DefaultParam();
    param.max_depth = 9;
    auto const one = BuildTree(*data, gradients, param, {}, 1);
    EXPECT_GT(one.tree.NumLeaves(), 100);
    ExpectSame(BuildTree(*data, gradients, param, {}, 8), one, "8 threads");
    ExpectSame(BuildTree(*data, gradients, param, {}, 8), one, "8 threads again");
    ExpectSame(BuildTree(*data, gradients, param, {}, 1), one, "1 thread again");
  }
}

/// All vector widths of this machine, and scalar code, give the same bits.
TEST(Exact, InstructionSetsChangeNothing) {
  MatrixSpec const spec{6000, 5, 0.2, 0, false, 11};
  auto const data = MakeMatrix(spec);
  auto const gradients = MakeGradients(spec.n_rows, 4);
  auto param = DefaultParam();
  param.alpha = 0.2F;
  auto const best = BuildTree(*data, gradients, param);
  int n_targets = 0;
  for (auto remaining = hwy::SupportedTargets(); remaining != 0; remaining &= remaining - 1) {
    hwy::SetSupportedTargetsForTest(remaining & -remaining);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    ExpectSame(BuildTree(*data, gradients, param), best, hwy::TargetName(remaining & -remaining));
    ++n_targets;
    hwy::SetSupportedTargetsForTest(0);
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  EXPECT_GT(n_targets, 1);
}

TEST(Exact, AStateServesManyTrees) {
  MatrixSpec const spec{5000, 5, 0.2, 0, false, 3};
  auto const data = MakeMatrix(spec);
  ExactBuilder const builder(DefaultParam());
  Context ctx;
  ctx.threads = 3;
  auto const state = builder.MakeState(ctx, *data);
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    auto const sampled = SampleRows(ctx, static_cast<std::int64_t>(seed), 0, seed % 2 == 0 ? 1.0F : 0.5F, spec.n_rows);
    auto const gradients = MakeGradients(spec.n_rows, seed, sampled);
    TreeTask task;
    task.gradients = gradients.View();
    task.sampled_rows = sampled;
    Built built;
    built.leaf_of_row.resize(5000);
    built.tree = builder.Build(ctx, *data, task, state.get(), built.leaf_of_row);
    ExpectSame(built, BuildTree(*data, gradients, DefaultParam(), sampled), std::to_string(seed));
  }
}

TEST(Exact, SplitsUseSampledColumnsOnly) {
  MatrixSpec const spec{3000, 20, 0.1, 0, false, 9};
  auto const data = MakeMatrix(spec);
  auto const gradients = MakeGradients(spec.n_rows, 1);
  auto param = DefaultParam();
  param.colsample_bytree = 0.6F;
  param.colsample_bylevel = 0.5F;
  param.colsample_bynode = 0.5F;
  auto const built = BuildTree(*data, gradients, param);
  ColumnSampler const sampler(param, 0, TreePlace(), spec.n_cols);
  std::vector<std::int32_t> depth(built.tree.left.size(), 0);
  for (std::int32_t node = 0; node < built.tree.NumNodes(); ++node) {
    auto const index = static_cast<std::size_t>(node);
    if (node > 0) depth[index] = depth[built.tree.parent[index]] + 1;
    if (built.tree.IsLeaf(node)) continue;
    auto const set = sampler.NodeSet(depth[index], node);
    EXPECT_TRUE(std::binary_search(set.begin(), set.end(), built.tree.split_feature[index])) << node;
  }
  EXPECT_GT(built.tree.NumLeaves(), 20);
}

TEST(Exact, LeafScaleAndNoRows) {
  MatrixSpec const spec{50, 2, 0.0, 0, false, 1};
  auto const data = MakeMatrix(spec);
  auto const gradients = MakeGradients(50, 1);
  ExactBuilder const builder(DefaultParam());
  auto const state = builder.MakeState(Context{}, *data);
  TreeTask task;
  task.gradients = gradients.View();
  task.place.leaf_scale = 0.25F;
  std::vector<std::int32_t> leaf_of_row(50);
  auto const tree = builder.Build(Context{}, *data, task, state.get(), leaf_of_row);
  auto const leaf = static_cast<std::size_t>(leaf_of_row[0]);
  EXPECT_EQ(tree.split_value[leaf], tree.base_weight[leaf] * (0.3F * 0.25F));
  std::vector<std::uint8_t> const none(50, 0);
  auto const nothing = BuildTree(*data, MakeGradients(50, 1, none), DefaultParam(), none);
  EXPECT_EQ(nothing.tree.NumNodes(), 1);
  EXPECT_EQ(nothing.leaf_of_row, std::vector<std::int32_t>(50, 0));
}

TEST(Exact, RefusesMismatchedSizes) {
  auto const data = MakeMatrix(MatrixSpec{50, 2, 0.0, 0, false, 1});
  EXPECT_THROW(BuildTree(*data, MakeGradients(49, 1), DefaultParam()), Error);
  EXPECT_THROW(BuildTree(*data, MakeGradients(50, 1), DefaultParam(), std::vector<std::uint8_t>(51, 1)), Error);
}

}  // namespace
}  // namespace kauri
