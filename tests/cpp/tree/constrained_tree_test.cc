/// \file Trees under constraints, with both methods: compared with the definition, and checks of the constraints.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <set>
#include <string>

#include "support/naive_exact_tree.h"
#include "tree/exact/exact_builder.h"
#include "tree/hist/naive_hist_tree.h"

namespace kauri {
namespace {

using testing::NaiveConstraints;
using testing::NaiveExactTree;
using testing::NaiveTask;

enum class Method { kExact, kHist };

Built BuildWith(Method method, Job const& job, int threads = 2) {
  if (method == Method::kHist) return BuildTree(job, threads);
  Context ctx;
  ctx.threads = threads;
  auto const data = MakeMatrix(job.values, job.n_cols, job.sparse);
  ExactBuilder const builder(job.param);
  auto const state = builder.MakeState(ctx, *data);
  Built built;
  built.leaf_of_row.assign(job.NumRows(), -7);
  built.tree = builder.Build(ctx, *data, job.Task(), state.get(), built.leaf_of_row);
  return built;
}

Built BuildNaively(Method method, Job const& job) {
  if (method == Method::kHist) return NaiveHistTree(job).Grow();
  NaiveTask task;
  task.values = &job.values;
  task.n_cols = static_cast<std::size_t>(job.n_cols);
  task.pairs = &job.gradients.pairs;
  task.used = job.sampled.empty() ? std::vector<std::uint8_t>(job.NumRows(), 1) : job.sampled;
  task.gain = MakeGainParam(job.param, job.gradients.unit, !job.constraints.signs.empty());
  task.max_depth = job.param.max_depth;
  task.gamma = job.param.gamma;
  task.leaf_rate = job.param.eta;
  task.constraints = job.constraints;
  task.costs = job.costs;
  Built built;
  built.tree = NaiveExactTree(task).Grow(&built.leaf_of_row);
  return built;
}

template <typename T>
T Pick(Random* random, std::vector<T> const& choices) {
  return choices[random->Below(static_cast<std::uint32_t>(choices.size()))];
}

NaiveConstraints RandomConstraints(std::int64_t n_cols, Random* random) {
  NaiveConstraints constraints;
  auto const kind = random->Below(3);
  if (kind != 0) {
    auto const n = 1 + random->Below(static_cast<std::uint32_t>(n_cols));
    for (std::uint32_t i = 0; i < n; ++i) constraints.signs.push_back(static_cast<int>(random->Below(3)) - 1);
  }
  if (kind != 1) {
    constraints.limits_features = true;
    constraints.sets.resize(random->Below(4));
    for (auto& set : constraints.sets) {
      for (auto size = random->Below(4); size > 0; --size) {
        set.insert(random->Below(static_cast<std::uint32_t>(n_cols)));
      }
    }
  }
  return constraints;
}

Job RandomJob(std::uint64_t seed, std::int64_t n_rows) {
  Random random(seed);
  MatrixSpec spec;
  spec.n_rows = n_rows;
  spec.n_cols = Pick<std::int64_t>(&random, {1, 2, 4, 6});
  spec.missing = Pick<double>(&random, {0.0, 0.1, 0.6});
  spec.n_distinct = Pick<std::uint32_t>(&random, {0, 3, 20});
  spec.sparse = random.Below(3) == 0;
  spec.seed = seed;
  Job job;
  job.values = MakeValues(spec);
  job.n_cols = spec.n_cols;
  job.sparse = spec.sparse;
  job.param.lambda = Pick<float>(&random, {0.0F, 1.0F, 5.0F});
  job.param.alpha = Pick<float>(&random, {0.0F, 0.0F, 0.7F});
  job.param.gamma = Pick<float>(&random, {0.0F, 0.0F, 0.5F});
  job.param.max_delta_step = Pick<float>(&random, {0.0F, 0.0F, 0.4F});
  job.param.min_child_weight = Pick<float>(&random, {0.0F, 1.0F, 5.0F});
  job.param.max_depth = Pick<int>(&random, {2, 4, 6});
  job.param.grow_policy = Pick<int>(&random, {TreeParam::kDepthWise, TreeParam::kLossGuide});
  job.constraints = RandomConstraints(spec.n_cols, &random);
  job.constraints.Write(&job.param);
  if (random.Below(4) == 0) job.sampled = SampleRows(Context{}, 0, 0, 0.6F, n_rows);
  job.gradients = MakeGradients(n_rows, seed + 1, job.sampled);
  return job;
}

class ConstrainedTree : public ::testing::TestWithParam<Method> {};

INSTANTIATE_TEST_SUITE_P(Methods, ConstrainedTree, ::testing::Values(Method::kExact, Method::kHist),
                         [](auto const& tested) { return tested.param == Method::kExact ? "Exact" : "Hist"; });

TEST_P(ConstrainedTree, EqualsTheDefinition) {
  std::int64_t const sizes[] = {1, 2, 33, 100, 200, 257};
  for (std::uint64_t seed = 0; seed < 90 && !HasFailure(); ++seed) {
    auto job = RandomJob(seed, sizes[seed % 6]);
    auto const built = BuildWith(GetParam(), job);
    ExpectSame(built, BuildNaively(GetParam(), job), "seed " + std::to_string(seed));
    ExpectRawValuesReachTheSameLeaves(job, built);
  }
}

TEST_P(ConstrainedTree, CostsAsInTheDefinition) {
  std::int64_t const sizes[] = {1, 33, 100, 200, 257};
  std::int64_t n_changed = 0;
  for (std::uint64_t seed = 0; seed < 120 && !HasFailure(); ++seed) {
    auto job = RandomJob(seed, sizes[seed % 5]);
    if (seed % 2 == 0) job.param.monotone_constraints = "()";
    if (seed % 2 == 0) job.constraints.signs.clear();
    auto const free = BuildWith(GetParam(), job);
    Random random(seed + 1000);
    job.costs = testing::MakeCosts(job.n_cols, &random);
    auto const built = BuildWith(GetParam(), job);
    ExpectSame(built, BuildNaively(GetParam(), job), "seed " + std::to_string(seed));
    ExpectRawValuesReachTheSameLeaves(job, built);
    n_changed += built.leaf_of_row == free.leaf_of_row ? 0 : 1;
  }
  EXPECT_GT(n_changed, 40);
}

float ValueAt(Tree const& tree, std::vector<float> const& point) {
  std::int32_t node = 0;
  while (!tree.IsLeaf(node)) {
    auto const at = static_cast<std::size_t>(node);
    auto const value = point[tree.split_feature[at]];
    auto const left = std::isnan(value) ? tree.default_left[at] != 0 : value < tree.split_value[at];
    node = left ? tree.left[at] : tree.right[at];
  }
  return tree.split_value[node];
}

/// Returns how often predictions violate a sign on an ascending grid of `feature`, at rows of the data.
int CountViolations(Tree const& tree, Job const& job, std::size_t feature, int sign) {
  auto const n_cols = static_cast<std::size_t>(job.n_cols);
  int violations = 0;
  for (std::size_t row = 0; row < std::min<std::size_t>(job.NumRows(), 60); ++row) {
    std::vector<float> point(job.values.begin() + static_cast<std::ptrdiff_t>(row * n_cols),
                             job.values.begin() + static_cast<std::ptrdiff_t>((row + 1) * n_cols));
    point[feature] = -25.0F;
    auto last = ValueAt(tree, point);
    for (int step = -50; step <= 50; ++step) {
      point[feature] = static_cast<float>(step) * 0.5F;
      auto const value = ValueAt(tree, point);
      if ((value - last) * static_cast<float>(sign) < 0.0F) ++violations;
      last = value;
    }
  }
  return violations;
}

TEST_P(ConstrainedTree, IsMonotone) {
  int without = 0;
  int n_splits = 0;
  for (std::uint64_t seed = 1000; seed < 1060; ++seed) {
    auto job = RandomJob(seed, 400);
    auto free = job;
    free.param.monotone_constraints = "()";
    auto const tree = BuildWith(GetParam(), job).tree;
    auto const free_tree = BuildWith(GetParam(), free).tree;
    for (std::size_t feature = 0; feature < job.constraints.signs.size(); ++feature) {
      auto const sign = job.constraints.signs[feature];
      EXPECT_EQ(CountViolations(tree, job, feature, sign), 0) << "seed " << seed << " feature " << feature;
      without += CountViolations(free_tree, job, feature, sign);
      if (sign == 0) continue;
      n_splits += static_cast<int>(std::count(tree.split_feature.begin(), tree.split_feature.end(), feature));
    }
  }
  EXPECT_GT(without, 1000);
  EXPECT_GT(n_splits, 200);
}

/// The features of every path with more than one feature are in a common set.
TEST_P(ConstrainedTree, PathsStayInTheirSets) {
  std::size_t longest = 0;
  for (std::uint64_t seed = 2000; seed < 2040; ++seed) {
    auto const job = RandomJob(seed, 400);
    if (!job.constraints.limits_features) continue;
    auto const tree = BuildWith(GetParam(), job).tree;
    std::vector<std::set<std::uint32_t>> path(tree.left.size());
    for (std::size_t node = 0; node < path.size(); ++node) {
      if (node > 0) {
        auto const parent = static_cast<std::size_t>(tree.parent[node]);
        path[node] = path[parent];
        path[node].insert(tree.split_feature[parent]);
      }
      auto const& sets = job.constraints.sets;
      auto const holds = std::any_of(sets.begin(), sets.end(), [&](auto const& set) {
        return std::includes(set.begin(), set.end(), path[node].begin(), path[node].end());
      });
      EXPECT_TRUE(holds || path[node].size() <= 1) << "seed " << seed << " node " << node;
      longest = std::max(longest, path[node].size());
    }
  }
  EXPECT_EQ(longest, 3U);
}

/// Returns a large job with many nodes, blocks and vectors.
Job LargeJob() {
  MatrixSpec const spec{20000, 8, 0.2, 0, false, 3};
  Job job;
  job.values = MakeValues(spec);
  job.n_cols = spec.n_cols;
  job.param.max_depth = 8;
  job.param.alpha = 0.3F;
  job.constraints.signs = {1, -1, 0, 1, 0, -1};
  job.constraints.limits_features = true;
  job.constraints.sets = {{0, 1, 2, 3}, {2, 3, 4, 5}, {5, 6}};
  job.constraints.Write(&job.param);
  job.gradients = MakeGradients(spec.n_rows, 4);
  return job;
}

TEST_P(ConstrainedTree, ThreadsAndRunsChangeNothing) {
  auto const job = LargeJob();
  auto const one = BuildWith(GetParam(), job, 1);
  EXPECT_GT(one.tree.NumLeaves(), 20);
  ExpectSame(BuildWith(GetParam(), job, 8), one, "8 threads");
  ExpectSame(BuildWith(GetParam(), job, 3), one, "3 threads");
}

TEST_P(ConstrainedTree, InstructionSetsChangeNothing) {
  auto const job = LargeJob();
  auto const best = BuildWith(GetParam(), job);
  for (auto remaining = hwy::SupportedTargets(); remaining != 0; remaining &= remaining - 1) {
    hwy::SetSupportedTargetsForTest(remaining & -remaining);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    ExpectSame(BuildWith(GetParam(), job), best, hwy::TargetName(remaining & -remaining));
    hwy::SetSupportedTargetsForTest(0);
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

/// A node may use the features that are both sampled and allowed on its path.
TEST_P(ConstrainedTree, SampledColumnsAreLimitedToo) {
  auto job = LargeJob();
  job.constraints.sets = {{0, 1, 2, 3, 4, 6, 7}, {2, 3, 4, 5, 6}};
  job.constraints.Write(&job.param);
  job.param.colsample_bylevel = 0.8F;
  job.param.colsample_bynode = 0.7F;
  auto const tree = BuildWith(GetParam(), job).tree;
  auto const task = job.Task();
  ColumnSampler const sampler(job.param, 0, task.place, job.n_cols);
  TreeConstraints constraints(ParseConstraints(job.param), job.n_cols);
  std::vector<std::int32_t> depth(tree.left.size(), 0);
  for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
    auto const at = static_cast<std::size_t>(node);
    if (node > 0) depth[at] = depth[tree.parent[at]] + 1;
    if (tree.IsLeaf(node)) continue;
    auto const allowed = constraints.AllowedOf(node, sampler.NodeSet(depth[at], node));
    EXPECT_TRUE(std::binary_search(allowed.begin(), allowed.end(), tree.split_feature[at])) << node;
    constraints.AddSplit(tree, node);
  }
  EXPECT_GT(tree.NumLeaves(), 8);
}

/// Signs that are all 0 have no effect, also with alpha. The gain of a limited weight includes alpha, as in XGBoost
/// since 3.4.
TEST_P(ConstrainedTree, ZerosChangeNothing) {
  Job job;
  job.values = {1.0F, 2.0F};
  job.param.max_depth = 1;
  job.param.alpha = 1.0F;
  std::vector<GradientPair> const pairs{{-3, 3}, {3, 3}};
  QuantiseGradients(Context{}, pairs, 1, 0, {}, &job.gradients);
  auto const free = BuildWith(GetParam(), job).tree;
  EXPECT_EQ(free.loss_change[0], 2.0F);  // 2^2 / 4, twice
  job.param.monotone_constraints = "(0)";
  testing::ExpectSameTree(BuildWith(GetParam(), job).tree, free);
  job.param.max_delta_step = 0.25F;
  auto const limited = BuildWith(GetParam(), job).tree;
  EXPECT_EQ(limited.loss_change[0], 1.5F);  // 2 * 3 * 0.25 - 4 * 0.0625 - 2 * 0.25, twice
  EXPECT_EQ(limited.split_value[1], 0.25F * job.param.eta);
}

/// Checked with XGBoost 3.2.0: only the split with just the missing row on the left has children in the order of the
/// sign.
TEST_P(ConstrainedTree, MissingRowsAloneOnTheLeft) {
  Job job;
  job.values = {kNan, kNan, 3.0F, 3.0F, 4.0F, 4.0F};
  job.param.max_depth = 1;
  job.param.monotone_constraints = "(1)";
  std::vector<GradientPair> const pairs{{4, 1}, {4, 1}, {-1, 1}, {-1, 1}, {-1, 1}, {-1, 1}};
  QuantiseGradients(Context{}, pairs, 1, 0, {}, &job.gradients);
  for (bool const sparse : {false, true}) {
    job.sparse = sparse;
    auto const built = BuildWith(GetParam(), job);
    ASSERT_EQ(built.tree.NumNodes(), 3);
    EXPECT_EQ(built.tree.default_left[0], 1);
    EXPECT_LT(built.tree.split_value[0], 3.0F);
    EXPECT_EQ(built.leaf_of_row, (std::vector<std::int32_t>{1, 1, 2, 2, 2, 2}));
  }
}

}  // namespace
}  // namespace kauri
