#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tree/hist/naive_symmetric_tree.h"

namespace kauri {
namespace {

Job MakeJob(MatrixSpec const& spec) {
  Job job;
  job.values = MakeValues(spec);
  job.n_cols = spec.n_cols;
  job.sparse = spec.sparse;
  job.param.grow_policy = TreeParam::kSymmetric;
  job.gradients = MakeGradients(spec.n_rows, spec.seed + 1);
  return job;
}

template <typename T>
T Pick(Random* random, std::vector<T> const& choices) {
  return choices[random->Below(static_cast<std::uint32_t>(choices.size()))];
}

void DrawParam(Random* random, TreeParam* param) {
  param->eta = Pick<float>(random, {0.3F, 1.0F});
  param->lambda = Pick<float>(random, {0.0F, 1.0F, 5.0F});
  param->alpha = Pick<float>(random, {0.0F, 0.0F, 0.7F});
  param->gamma = Pick<float>(random, {0.0F, 0.0F, 0.0F, 0.5F});
  param->max_delta_step = Pick<float>(random, {0.0F, 0.0F, 0.0F, 0.4F});
  param->min_child_weight = Pick<float>(random, {0.0F, 0.1F, 1.0F, 2.0F});
  param->max_depth = Pick<int>(random, {0, 2, 4, 6});
  param->max_leaves = Pick<int>(random, {0, 0, 0, 1, 7, 20});
  param->max_bin = Pick<int>(random, {2, 5, 32, 256});
  param->colsample_bytree = Pick<float>(random, {1.0F, 1.0F, 0.6F});
  param->colsample_bylevel = Pick<float>(random, {1.0F, 1.0F, 0.7F});
  param->colsample_bynode = Pick<float>(random, {1.0F, 1.0F, 0.7F});
}

MatrixSpec DrawSpec(Random* random, std::uint64_t seed) {
  MatrixSpec spec;
  spec.n_rows = Pick<std::int64_t>(random, {1, 33, 100, 257, 400});
  spec.n_cols = Pick<std::int64_t>(random, {1, 3, 5});
  spec.missing = Pick<double>(random, {0.0, 0.0, 0.1, 0.5, 0.9});
  spec.n_distinct = Pick<std::uint32_t>(random, {0, 2, 5, 40});
  spec.sparse = random->Below(3) == 0;
  spec.seed = seed;
  return spec;
}

Job RandomJob(std::uint64_t seed) {
  Random random(seed);
  auto const spec = DrawSpec(&random, seed);
  auto job = MakeJob(spec);
  DrawParam(&random, &job.param);
  if (random.Below(3) == 0) {
    job.sampled = SampleRows(Context{}, 0, 0, 0.6F, spec.n_rows);
    job.gradients = MakeGradients(spec.n_rows, seed + 1, job.sampled);
  }
  return job;
}

TEST(SymmetricTree, EqualsTheDefinitionOnRandomData) {
  std::int64_t n_splits = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    auto const job = RandomJob(seed);
    auto const built = BuildTree(job, 1 + static_cast<int>(seed % 3));
    ExpectSame(built, NaiveSymmetricTree(job).Grow(), "seed " + std::to_string(seed));
    ExpectRawValuesReachTheSameLeaves(job, built);
    n_splits += built.tree.NumLeaves() - 1;
  }
  EXPECT_GT(n_splits, 500);
}

TEST(SymmetricTree, LimitedRowsAsInTheDefinition) {
  std::int64_t n_splits = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    auto job = RandomJob(seed);
    job.param.min_child_weight = 0.0F;
    job.param.min_data_in_leaf = 2 + 7 * static_cast<int>(seed % 5);
    auto const built = BuildTree(job, 1 + static_cast<int>(seed % 3));
    ExpectSame(built, NaiveSymmetricTree(job).Grow(), "seed " + std::to_string(seed));
    n_splits += built.tree.NumLeaves() - 1;
  }
  EXPECT_GT(n_splits, 100);
}

TEST(SymmetricTree, NoiseAsInTheDefinition) {
  std::int64_t n_splits = 0;
  std::int64_t n_changed = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    auto job = RandomJob(seed);
    auto const quiet = BuildTree(job);
    job.param.random_strength = 0.5F + static_cast<float>(seed % 4);
    auto const built = BuildTree(job, 1 + static_cast<int>(seed % 3));
    ExpectSame(built, NaiveSymmetricTree(job).Grow(), "seed " + std::to_string(seed));
    n_splits += built.tree.NumLeaves() - 1;
    n_changed += built.leaf_of_row == quiet.leaf_of_row ? 0 : 1;
  }
  EXPECT_GT(n_splits, 500);
  EXPECT_GT(n_changed, 40);
}

TEST(SymmetricTree, CostsAsInTheDefinition) {
  std::int64_t n_changed = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    auto job = RandomJob(seed);
    auto const free = BuildTree(job);
    Random random(seed + 1000);
    job.costs = testing::MakeCosts(job.n_cols, &random);
    auto const built = BuildTree(job, 1 + static_cast<int>(seed % 3));
    ExpectSame(built, NaiveSymmetricTree(job).Grow(), "seed " + std::to_string(seed));
    n_changed += built.leaf_of_row == free.leaf_of_row ? 0 : 1;
  }
  EXPECT_GT(n_changed, 40);
}

/// A split with only the missing rows on the left is not a candidate here, so features with a sign have no missing
/// values.
TEST(SymmetricTree, ConstraintsAsInTheDefinition) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    auto spec = DrawSpec(&random, seed);
    spec.n_cols = 4;
    auto const is_monotone = random.Below(2) == 0;
    if (is_monotone) spec.missing = 0.0;
    auto job = MakeJob(spec);
    DrawParam(&random, &job.param);
    if (is_monotone) job.constraints.signs = {1, -1, 0};
    job.constraints.limits_features = !is_monotone || random.Below(2) == 0;
    if (job.constraints.limits_features) job.constraints.sets = {{0, 1}, {1, 2}};
    job.constraints.Write(&job.param);
    ExpectSame(BuildTree(job), NaiveSymmetricTree(job).Grow(), "seed " + std::to_string(seed));
  }
}

Job LargeJob(double missing) {
  MatrixSpec spec;
  spec.n_rows = 20000;
  spec.n_cols = 9;
  spec.missing = missing;
  auto job = MakeJob(spec);
  job.param.max_depth = 7;
  return job;
}

TEST(SymmetricTree, ThreadsAndRunsDoNotMatter) {
  for (double const missing : {0.0, 0.3}) {
    auto const job = LargeJob(missing);
    auto const expected = BuildTree(job, 1);
    EXPECT_GT(expected.tree.NumLeaves(), 60);
    for (int const threads : {1, 2, 3, 8}) ExpectSame(BuildTree(job, threads), expected, std::to_string(threads));
  }
}

TEST(SymmetricTree, HasOneConditionALevel) {
  auto const tree = BuildTree(LargeJob(0.2)).tree;
  std::set<std::tuple<std::uint32_t, float, bool>> conditions;
  for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
    if (tree.IsLeaf(node)) continue;
    conditions.emplace(tree.split_feature[node], tree.split_value[node], tree.default_left[node] != 0);
  }
  EXPECT_EQ(conditions.size(), 7U);
}

/// Trees of both kinds alternate on one state: state left by one must not affect the other.
TEST(SymmetricTree, SharesItsStateWithOtherTrees) {
  auto const job = LargeJob(0.1);
  auto depthwise = job;
  depthwise.param.grow_policy = TreeParam::kDepthWise;
  auto const data = MakeMatrix(job.values, job.n_cols, job.sparse);
  auto const state = HistBuilder(job.param).MakeState(Context{}, *data);
  for (int turn = 0; turn < 2; ++turn) {
    for (Job const* of : {&job, static_cast<Job const*>(&depthwise)}) {
      Built built;
      built.leaf_of_row.assign(of->NumRows(), -1);
      built.tree = HistBuilder(of->param).Build(Context{}, *data, of->Task(), state.get(), built.leaf_of_row);
      ExpectSame(built, BuildTree(*of), std::to_string(turn));
    }
  }
}

/// Two nodes with different best splits: {0 | 1} gains 8 in the left half, {2 | 3} gains 2 in the right half, and each
/// gains nothing in the other half. The level uses the first, which the right half cannot perform.
TEST(SymmetricTree, WorkedExample) {
  Job job;
  job.values = {0.0F, 1.0F, 2.0F, 3.0F};
  job.param.grow_policy = TreeParam::kSymmetric;
  job.param.max_depth = 2;
  job.param.lambda = 0.0F;
  job.param.eta = 1.0F;
  std::vector<GradientPair> const pairs{{12.0F, 1.0F}, {8.0F, 1.0F}, {-9.0F, 1.0F}, {-11.0F, 1.0F}};
  QuantiseGradients(Context{}, pairs, 1, 0, {}, &job.gradients);
  auto const tree = BuildTree(job).tree;
  ASSERT_EQ(tree.NumNodes(), 5);
  EXPECT_EQ(tree.split_value[0], 2.0F);
  EXPECT_EQ(tree.split_value[1], 1.0F);
  EXPECT_FLOAT_EQ(tree.loss_change[1], 8.0F);
  EXPECT_TRUE(tree.IsLeaf(2));
  EXPECT_FLOAT_EQ(tree.split_value[2], 10.0F);
}

}  // namespace
}  // namespace kauri
