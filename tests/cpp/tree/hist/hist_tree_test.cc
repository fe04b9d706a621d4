#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "tree/hist/naive_hist_tree.h"

namespace kauri {
namespace {

Job MakeJob(MatrixSpec const& spec, TreeParam const& param) {
  Job job;
  job.values = MakeValues(spec);
  job.n_cols = spec.n_cols;
  job.sparse = spec.sparse;
  job.param = param;
  job.gradients = MakeGradients(spec.n_rows, spec.seed + 1);
  return job;
}

template <typename T>
T Pick(Random* random, std::vector<T> const& choices) {
  return choices[random->Below(static_cast<std::uint32_t>(choices.size()))];
}

TreeParam RandomParam(Random* random) {
  auto param = DefaultParam();
  param.eta = Pick<float>(random, {0.3F, 1.0F, 0.05F});
  param.lambda = Pick<float>(random, {0.0F, 1.0F, 5.0F});
  param.alpha = Pick<float>(random, {0.0F, 0.0F, 0.7F});
  param.gamma = Pick<float>(random, {0.0F, 0.0F, 0.5F, 2.0F});
  param.max_delta_step = Pick<float>(random, {0.0F, 0.0F, 0.0F, 0.4F});
  param.min_child_weight = Pick<float>(random, {0.0F, 0.1F, 1.0F, 5.0F});
  param.max_depth = Pick<int>(random, {0, 1, 2, 4, 6});
  param.max_leaves = Pick<int>(random, {0, 0, 1, 2, 7, 20});
  param.max_bin = Pick<int>(random, {2, 5, 32, 256, 300});
  param.grow_policy = Pick<int>(random, {TreeParam::kDepthWise, TreeParam::kLossGuide});
  param.colsample_bytree = Pick<float>(random, {1.0F, 1.0F, 0.6F});
  param.colsample_bylevel = Pick<float>(random, {1.0F, 1.0F, 0.7F});
  param.colsample_bynode = Pick<float>(random, {1.0F, 1.0F, 0.7F});
  return param;
}

Job RandomJob(std::uint64_t seed) {
  Random random(seed);
  MatrixSpec spec;
  spec.n_rows = Pick<std::int64_t>(&random, {1, 2, 31, 33, 100, 257, 400});
  spec.n_cols = Pick<std::int64_t>(&random, {1, 3, 8, 11});
  spec.missing = Pick<double>(&random, {0.0, 0.0, 0.1, 0.5, 0.9});
  spec.n_distinct = Pick<std::uint32_t>(&random, {0, 2, 5, 40});
  spec.sparse = random.Below(3) == 0;
  spec.seed = seed;
  auto job = MakeJob(spec, RandomParam(&random));
  if (random.Below(3) == 0) {
    job.sampled = SampleRows(Context{}, 0, 0, 0.6F, spec.n_rows);
    job.gradients = MakeGradients(spec.n_rows, seed + 1, job.sampled);
  }
  return job;
}

/// Returns a random job, every second one with monotone constraints.
Job RandomLimitedJob(std::uint64_t seed) {
  auto job = RandomJob(seed);
  job.param.min_child_weight = 0.0F;
  if (seed % 2 == 0) job.constraints.signs = {1};
  job.constraints.Write(&job.param);
  return job;
}

TEST(HistTree, EqualsTheDefinitionOnRandomData) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    auto const job = RandomJob(seed);
    auto const built = BuildTree(job);
    ExpectSame(built, NaiveHistTree(job).Grow(), "seed " + std::to_string(seed));
    ExpectRawValuesReachTheSameLeaves(job, built);
  }
}

TEST(HistTree, LimitedRowsAsInTheDefinition) {
  std::int64_t n_splits = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    auto job = RandomLimitedJob(seed);
    job.param.min_data_in_leaf = 2 + 6 * static_cast<int>(seed % 5);
    auto const built = BuildTree(job);
    ExpectSame(built, NaiveHistTree(job).Grow(), "seed " + std::to_string(seed));
    n_splits += built.tree.NumLeaves() - 1;
  }
  EXPECT_GT(n_splits, 100);
}

TEST(HistTree, DrawnThresholdsAsInTheDefinition) {
  std::int64_t n_splits = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    auto job = RandomLimitedJob(seed);
    job.param.extra_trees = true;
    if (seed % 3 == 0) job.param.min_data_in_leaf = 5;
    auto const built = BuildTree(job);
    ExpectSame(built, NaiveHistTree(job).Grow(), "seed " + std::to_string(seed));
    n_splits += built.tree.NumLeaves() - 1;
  }
  EXPECT_GT(n_splits, 200);
}

/// The recorded gains exclude noise: ExpectSame compares them.
TEST(HistTree, NoiseAsInTheDefinition) {
  std::int64_t n_splits = 0;
  std::int64_t n_changed = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    auto job = seed % 3 == 0 ? RandomLimitedJob(seed) : RandomJob(seed);
    auto const quiet = BuildTree(job);
    job.param.random_strength = 0.5F + static_cast<float>(seed % 4);
    if (seed % 5 == 0) job.param.min_data_in_leaf = 6;
    if (seed % 7 == 0) job.param.extra_trees = true;
    auto const built = BuildTree(job);
    ExpectSame(built, NaiveHistTree(job).Grow(), "seed " + std::to_string(seed));
    n_splits += built.tree.NumLeaves() - 1;
    n_changed += built.leaf_of_row == quiet.leaf_of_row ? 0 : 1;
  }
  EXPECT_GT(n_splits, 300);
  EXPECT_GT(n_changed, 25);
}

/// Returns jobs with enough rows for several portions and blocks per node, and all kinds of codes.
std::vector<Job> LargeJobs() {
  std::vector<Job> jobs;
  for (std::uint64_t kind = 0; kind < 6; ++kind) {
    MatrixSpec spec;
    spec.n_rows = 30000;
    spec.n_cols = kind == 4 ? 60 : 13;
    spec.missing = kind == 1 ? 0.2 : kind == 4 ? 0.95 : 0.0;
    spec.sparse = kind == 4;
    spec.n_distinct = kind == 5 ? 9 : 0;
    spec.seed = kind;
    auto param = DefaultParam();
    param.max_bin = kind == 2 ? 700 : 256;
    if (kind == 3) param.colsample_bytree = 0.5F;
    if (kind % 2 == 1) {
      param.grow_policy = TreeParam::kLossGuide;
      param.max_leaves = 40;
      param.max_depth = 0;
    }
    jobs.push_back(MakeJob(spec, param));
    if (kind == 0) {
      jobs.back().sampled = SampleRows(Context{}, 0, 0, 0.7F, spec.n_rows);
      jobs.back().gradients = MakeGradients(spec.n_rows, 1, jobs.back().sampled);
    }
  }
  return jobs;
}

/// A limit that all leaves satisfy anyway leaves the tree unchanged; a higher limit changes it.
TEST(HistTree, LimitedRowsForAnyThreads) {
  for (auto job : LargeJobs()) {
    auto const free = BuildTree(job);
    std::vector<std::int64_t> n_rows(free.tree.left.size(), 0);
    for (std::size_t row = 0; row < job.NumRows(); ++row) {
      if (job.sampled.empty() || job.sampled[row] != 0) ++n_rows[free.leaf_of_row[row]];
    }
    std::int64_t least = 1 << 30;
    for (std::int32_t node = 0; node < free.tree.NumNodes(); ++node) {
      if (free.tree.IsLeaf(node)) least = std::min(least, n_rows[node]);
    }
    if (least > 1) {
      job.param.min_data_in_leaf = static_cast<int>(least);
      ExpectSame(BuildTree(job), free, "a limit that is kept");
    }
    job.param.min_data_in_leaf = 300;
    auto const limited = BuildTree(job, 1);
    EXPECT_NE(limited.leaf_of_row, free.leaf_of_row);
    for (int const threads : {2, 3, 8}) ExpectSame(BuildTree(job, threads), limited, std::to_string(threads));
  }
}

/// Counts also come from lists of cells outside the most frequent bin, and from bundles.
TEST(HistTree, LimitedRowsOfUsualValues) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Job job;
    job.sparse = seed % 4 == 3;
    job.values = seed < 4 ? testing::MakeFlagValues(1500, 14, seed % 2 == 1, seed)
                          : testing::MakeOneHotValues(1500, 2, 7, job.sparse, 0.1);
    job.n_cols = 14;
    job.gradients = MakeGradients(1500, seed);
    job.param.min_data_in_leaf = 40;
    job.param.min_child_weight = 0.0F;
    auto const built = BuildTree(job, 1 + static_cast<int>(seed));
    EXPECT_GT(built.tree.NumLeaves(), 3);
    ExpectSame(built, NaiveHistTree(job).Grow(), "seed " + std::to_string(seed));
  }
}

/// Lists of cells outside the most frequent bin (data/bins/sparse_bins.h) have no effect: the tree is the
/// definition's.
TEST(HistTree, MostlyUsualValues) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Job job;
    job.values = testing::MakeFlagValues(3000, 14, seed % 2 == 1, seed);
    job.n_cols = 14;
    job.gradients = MakeGradients(3000, seed);
    if (seed > 3) job.param.colsample_bynode = 0.9F;
    ExpectSame(BuildTree(job, 1 + static_cast<int>(seed)), NaiveHistTree(job).Grow(), "seed " + std::to_string(seed));
  }
}

/// A number of 256 bins has a column of its own beside bundles of a one-hot encoding.
TEST(HistTree, NumbersBesideOneHotColumns) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    auto const levels = testing::MakeOneHotValues(900, 2, 7, true, 0.1);
    Random random(seed);
    Job job;
    for (std::size_t row = 0; row < 900; ++row) {
      job.values.insert(job.values.end(), levels.begin() + row * 14, levels.begin() + (row + 1) * 14);
      job.values.push_back(static_cast<float>(random.Below(1 << 20)));
    }
    job.n_cols = 15;
    job.sparse = true;
    job.gradients = MakeGradients(900, seed);
    if (seed == 3) job.values[14] = kNan;
    ExpectSame(BuildTree(job, 1 + static_cast<int>(seed)), NaiveHistTree(job).Grow(), "seed " + std::to_string(seed));
  }
}

TEST(HistTree, ThreadsAndRunsDoNotMatter) {
  for (auto const& job : LargeJobs()) {
    auto const expected = BuildTree(job, 1);
    EXPECT_GT(expected.tree.NumLeaves(), 20);
    ExpectRawValuesReachTheSameLeaves(job, expected);
    for (int const threads : {1, 2, 3, 8}) ExpectSame(BuildTree(job, threads), expected, std::to_string(threads));
  }
}

TEST(HistTree, NoiseForAnyThreads) {
  for (auto job : LargeJobs()) {
    auto const quiet = BuildTree(job);
    job.param.random_strength = 2.0F;
    auto const expected = BuildTree(job, 1);
    EXPECT_NE(expected.leaf_of_row, quiet.leaf_of_row);
    for (int const threads : {2, 3, 8}) ExpectSame(BuildTree(job, threads), expected, std::to_string(threads));
  }
}

TEST(HistTree, OneStateServesManyTreesAndThreadCounts) {
  MatrixSpec spec;
  spec.n_rows = 20000;
  spec.n_cols = 5;
  auto const job = MakeJob(spec, DefaultParam());
  auto const data = MakeMatrix(spec);
  HistBuilder const builder(job.param);
  auto const state = builder.MakeState(Context{}, *data);
  Tree first;
  for (int const threads : {1, 8, 2}) {
    Context ctx;
    ctx.threads = threads;
    std::vector<std::int32_t> leaf_of_row(job.NumRows());
    auto const tree = builder.Build(ctx, *data, job.Task(), state.get(), leaf_of_row);
    if (threads == 1) first = tree;
    EXPECT_EQ(tree.split_value, first.split_value);
  }
}

/// Squared error with three distinct values: G = -(y - mean).
TEST(HistTree, WorkedExample) {
  Job job;
  job.values = {1.0F, 2.0F, 2.0F, 3.0F};
  job.param.max_depth = 1;
  job.param.lambda = 0.0F;
  job.param.eta = 1.0F;
  std::vector<GradientPair> const pairs{{4.0F, 1.0F}, {1.0F, 1.0F}, {-1.0F, 1.0F}, {-4.0F, 1.0F}};
  QuantiseGradients(Context{}, pairs, 1, 0, {}, &job.gradients);
  auto const built = BuildTree(job);
  // {1 | 2 2 3} gains 16 + 16 / 3, and {1 2 2 | 3} the same, so the lower threshold is used, which is the value 2
  // itself.
  ASSERT_EQ(built.tree.NumNodes(), 3);
  EXPECT_EQ(built.tree.split_value[0], 2.0F);
  EXPECT_EQ(built.tree.default_left[0], 0);
  EXPECT_FLOAT_EQ(built.tree.loss_change[0], 16.0F + 16.0F / 3.0F);
  EXPECT_EQ(built.tree.split_value[1], -4.0F);
  EXPECT_FLOAT_EQ(built.tree.split_value[2], 4.0F / 3.0F);
  EXPECT_EQ(built.leaf_of_row, (std::vector<std::int32_t>{1, 2, 2, 2}));
}

TEST(HistTree, MissingAloneIsSplitOffAtTheLastCut) {
  Job job;
  job.values = {3.0F, kNan, 3.0F, kNan};
  job.param.max_depth = 3;
  std::vector<GradientPair> const pairs{{1.0F, 1.0F}, {-1.0F, 1.0F}, {1.0F, 1.0F}, {-1.0F, 1.0F}};
  QuantiseGradients(Context{}, pairs, 1, 0, {}, &job.gradients);
  auto const built = BuildTree(job);
  ASSERT_EQ(built.tree.NumNodes(), 3);
  EXPECT_EQ(built.tree.split_value[0], 6.00001F);  // the value in XGBoost 3.2
  EXPECT_EQ(built.tree.default_left[0], 0);
  EXPECT_EQ(built.leaf_of_row, (std::vector<std::int32_t>{1, 2, 1, 2}));
}

TEST(HistTree, NothingToSplitIsALeaf) {
  for (auto const& values : {std::vector<float>(40, 5.0F), std::vector<float>(40, kNan), std::vector<float>(1, 1.0F)}) {
    Job job;
    job.values = values;
    job.gradients = MakeGradients(static_cast<std::int64_t>(values.size()), 1);
    auto const built = BuildTree(job);
    EXPECT_EQ(built.tree.NumNodes(), 1);
    EXPECT_EQ(built.leaf_of_row, std::vector<std::int32_t>(values.size(), 0));
  }
}

TEST(HistTree, NoSampledRowGivesALeafOfZero) {
  Job job;
  job.values = {1.0F, 2.0F, 3.0F};
  job.sampled = {0, 0, 0};
  job.gradients = MakeGradients(3, 1, job.sampled);
  auto const built = BuildTree(job);
  EXPECT_EQ(built.tree.NumNodes(), 1);
  EXPECT_EQ(built.tree.split_value[0], 0.0F);
  EXPECT_EQ(built.leaf_of_row, (std::vector<std::int32_t>{0, 0, 0}));
}

TEST(HistTree, HugeValuesAreRoutedAsTheirBins) {
  constexpr float kMax = std::numeric_limits<float>::max();
  Job job;
  job.values = {-kMax, kMax, kNan, 0.0F, kMax, kNan, -kMax, 1e-45F};
  job.param.min_child_weight = 0.0F;
  job.gradients = MakeGradients(8, 2);
  auto const built = BuildTree(job);
  built.tree.Validate(1);
  EXPECT_GT(built.tree.NumLeaves(), 1);
  ExpectRawValuesReachTheSameLeaves(job, built);
}

TEST(HistTree, LeafScaleMultipliesValues) {
  MatrixSpec spec;
  auto const job = MakeJob(spec, DefaultParam());
  auto const data = MakeMatrix(spec);
  HistBuilder const builder(job.param);
  auto const state = builder.MakeState(Context{}, *data);
  auto task = job.Task();
  task.place.leaf_scale = 0.25F;
  std::vector<std::int32_t> leaf_of_row(job.NumRows());
  auto const tree = builder.Build(Context{}, *data, task, state.get(), leaf_of_row);
  auto const leaf = static_cast<std::size_t>(leaf_of_row[0]);
  task.place.leaf_scale = 1.0F;
  auto const whole = builder.Build(Context{}, *data, task, state.get(), leaf_of_row);
  EXPECT_FLOAT_EQ(tree.split_value[leaf], whole.split_value[leaf] * 0.25F);
  EXPECT_EQ(tree.base_weight[leaf], tree.split_value[leaf]);
}

TEST(HistBuilder, StatesAreSharedByEqualBins) {
  EXPECT_EQ(MakeHistBuilder(TrainingParams(ParamMap{{"max_depth", "3"}}))->StateKey(), MakeHistBuilder({})->StateKey());
  EXPECT_NE(MakeHistBuilder(TrainingParams(ParamMap{{"max_bin", "64"}}))->StateKey(), MakeHistBuilder({})->StateKey());
}

TEST(HistBuilder, RefusesATaskOfAnotherSize) {
  MatrixSpec spec;
  auto const data = MakeMatrix(spec);
  HistBuilder const builder(DefaultParam());
  auto const state = builder.MakeState(Context{}, *data);
  auto const gradients = MakeGradients(spec.n_rows - 1, 1);
  TreeTask task;
  task.gradients = gradients.View();
  std::vector<std::int32_t> leaf_of_row(spec.n_rows);
  EXPECT_THROW(builder.Build(Context{}, *data, task, state.get(), leaf_of_row), Error);
}

}  // namespace
}  // namespace kauri
