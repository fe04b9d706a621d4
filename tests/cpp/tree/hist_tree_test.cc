#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "support/random_matrix.h"
#include "tree/hist_builder.h"
#include "tree/hist_grower.h"
#include "tree/sampling.h"
#include "tree/tree_common.h"

namespace kauri {
namespace {

using testing::MakeGradients;
using testing::MakeMatrix;
using testing::MakeValues;
using testing::MatrixSpec;
using testing::Random;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TreeParam DefaultParam() {
  TreeParam param;
  param.Init(std::map<std::string, std::string>());
  return param;
}

struct Built {
  Tree tree;
  std::vector<std::int32_t> leaf_of_row;
};

struct Job {
  std::vector<float> values;  ///< [n_rows, n_cols]
  std::int64_t n_cols = 1;
  bool sparse = false;
  TreeParam param = DefaultParam();
  std::vector<std::uint8_t> sampled;
  FixedGradients gradients;

  TreeTask Task() const {
    TreeTask task;
    task.gradients = gradients.View();
    task.sampled_rows = sampled;
    task.iteration = 3;
    return task;
  }
  std::size_t NumRows() const { return values.size() / static_cast<std::size_t>(n_cols); }
};

Built BuildTree(Job const& job, int threads = 2) {
  Context ctx;
  ctx.threads = threads;
  auto const data = MakeMatrix(job.values, job.n_cols, job.sparse);
  HistBuilder const builder(job.param);
  auto const state = builder.MakeState(ctx, *data);
  Built built;
  built.leaf_of_row.assign(job.NumRows(), -7);
  built.tree = builder.Build(ctx, *data, job.Task(), state.get(), built.leaf_of_row);
  return built;
}

/// The method from its definition: every cut of every feature, both directions, sums over rows, one node at a time.
class NaiveHistTree {
 public:
  explicit NaiveHistTree(Job const& job)
      : job_(job),
        cuts_(MakeQuantileCuts(Context{}, *MakeMatrix(job.values, job.n_cols, job.sparse), job.param.max_bin)),
        gain_(MakeGainParam(job.param, job.gradients.unit)),
        columns_(job.param, 0, task_ = job.Task(), job.n_cols) {}

  Built Grow() {
    Node root;
    root.rows.resize(job_.NumRows());
    std::iota(root.rows.begin(), root.rows.end(), std::size_t{0});
    nodes_.push_back(root);
    FindSplit(&nodes_[0], 0);
    for (std::int64_t n_leaves = 1; job_.param.max_leaves == 0 || n_leaves < job_.param.max_leaves; ++n_leaves) {
      auto const next = NextNode();
      if (next < 0) break;
      Expand(next);
    }
    Built built{tree_, std::vector<std::int32_t>(job_.NumRows())};
    for (std::size_t id = 0; id < nodes_.size(); ++id) {
      Describe(static_cast<std::int32_t>(id), &built.tree);
      if (!built.tree.IsLeaf(static_cast<std::int32_t>(id))) continue;
      for (auto const row : nodes_[id].rows) built.leaf_of_row[row] = static_cast<std::int32_t>(id);
    }
    return built;
  }

 private:
  struct Node {
    std::vector<std::size_t> rows;  // sampled or not
    int depth = 0;
    SplitCandidate split;
    bool is_split = false;
  };

  FixedSum Sum(std::vector<std::size_t> const& rows) const {
    FixedSum sum;
    for (auto const row : rows) {
      if (job_.sampled.empty() || job_.sampled[row] != 0) sum += job_.gradients.pairs[row];
    }
    return sum;
  }
  std::array<std::vector<std::size_t>, 2> Divide(Node const& node, SplitCandidate const& split) const {
    std::array<std::vector<std::size_t>, 2> sides;
    for (auto const row : node.rows) {
      auto const value = job_.values[row * static_cast<std::size_t>(job_.n_cols) + split.feature];
      bool const left = std::isnan(value) ? split.default_left : value < split.threshold;
      sides[left ? 0 : 1].push_back(row);
    }
    return sides;
  }
  void FindSplit(Node* node, std::int32_t id) {
    auto const& param = job_.param;
    if (param.max_depth > 0 && node->depth >= param.max_depth) return;
    for (auto const feature : columns_.NodeSet(node->depth, id)) {
      for (std::uint32_t bin = 0; bin < cuts_.NumBins(feature); ++bin) {
        for (bool const default_left : {false, true}) {
          SplitCandidate candidate;
          candidate.feature = feature;
          candidate.threshold = cuts_.Of(feature)[bin];
          candidate.default_left = default_left;
          Consider(candidate, node);
        }
      }
    }
  }
  void Consider(SplitCandidate candidate, Node* node) const {
    auto const sides = Divide(*node, candidate);
    candidate.left = Sum(sides[0]);
    candidate.right = Sum(sides[1]);
    if (!HasEnoughHessian(candidate.left, gain_) || !HasEnoughHessian(candidate.right, gain_)) return;
    candidate.loss_change =
        LeafGain(candidate.left, gain_) + LeafGain(candidate.right, gain_) - LeafGain(Sum(node->rows), gain_);
    auto const loss_change = static_cast<float>(candidate.loss_change);
    if (loss_change > 1e-6F && loss_change >= job_.param.gamma && IsBetter(candidate, node->split)) {
      node->split = candidate;
    }
  }
  /// The lowest id is the first of its level, too.
  std::int32_t NextNode() const {
    std::int32_t best = -1;
    for (std::size_t id = 0; id < nodes_.size(); ++id) {
      if (nodes_[id].is_split || !nodes_[id].split.IsValid()) continue;
      auto const is_first = best < 0;
      if (is_first || (job_.param.grow_policy == TreeParam::kLossGuide &&
                       nodes_[id].split.loss_change > nodes_[static_cast<std::size_t>(best)].split.loss_change)) {
        best = static_cast<std::int32_t>(id);
      }
    }
    return best;
  }
  void Expand(std::int32_t id) {
    auto& node = nodes_[static_cast<std::size_t>(id)];
    node.is_split = true;
    auto const split = node.split;
    auto const depth = node.depth + 1;
    tree_.ExpandNode(id, {split.feature, split.threshold, split.default_left, static_cast<float>(split.loss_change)});
    for (auto const& rows : Divide(node, split)) {
      Node child;
      child.rows = rows;
      child.depth = depth;
      FindSplit(&child, static_cast<std::int32_t>(nodes_.size()));
      nodes_.push_back(child);
    }
  }
  void Describe(std::int32_t id, Tree* tree) const {
    auto const sum = Sum(nodes_[static_cast<std::size_t>(id)].rows);
    auto const weight = static_cast<float>(LeafWeight(sum, gain_));
    tree->SetNodeStatistics(id, weight, static_cast<float>(HessianOf(sum, gain_)));
    if (tree->IsLeaf(id)) tree->SetLeafValue(id, weight * job_.param.eta);
  }

  Job const& job_;
  QuantileCuts cuts_;
  GainParam gain_;
  TreeTask task_;
  ColumnSampler columns_;
  Tree tree_;
  std::vector<Node> nodes_;
};

void ExpectSame(Built const& a, Built const& b, std::string const& what) {
  SCOPED_TRACE(what);
  EXPECT_EQ(a.tree.left, b.tree.left);
  EXPECT_EQ(a.tree.right, b.tree.right);
  EXPECT_EQ(a.tree.parent, b.tree.parent);
  EXPECT_EQ(a.tree.split_feature, b.tree.split_feature);
  EXPECT_EQ(a.tree.split_value, b.tree.split_value);
  EXPECT_EQ(a.tree.default_left, b.tree.default_left);
  EXPECT_EQ(a.tree.base_weight, b.tree.base_weight);
  EXPECT_EQ(a.tree.loss_change, b.tree.loss_change);
  EXPECT_EQ(a.tree.sum_hessian, b.tree.sum_hessian);
  EXPECT_EQ(a.leaf_of_row, b.leaf_of_row);
}

void ExpectRawValuesReachTheSameLeaves(Job const& job, Built const& built) {
  auto const data = MakeMatrix(job.values, job.n_cols, job.sparse);
  for (std::size_t row = 0; row < job.NumRows(); ++row) {
    ASSERT_EQ(FindLeaf(built.tree, *data, static_cast<std::int64_t>(row)), built.leaf_of_row[row]) << row;
  }
}

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

TEST(HistTree, EqualsTheDefinitionOnRandomData) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
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
    auto const built = BuildTree(job);
    ExpectSame(built, NaiveHistTree(job).Grow(), "seed " + std::to_string(seed));
    ExpectRawValuesReachTheSameLeaves(job, built);
  }
}

/// Enough rows for several chunks and blocks per node, and all kinds of codes.
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

TEST(HistTree, ThreadsAndRunsDoNotMatter) {
  for (auto const& job : LargeJobs()) {
    auto const expected = BuildTree(job, 1);
    EXPECT_GT(expected.tree.NumLeaves(), 20);
    ExpectRawValuesReachTheSameLeaves(job, expected);
    for (int const threads : {1, 2, 3, 8}) ExpectSame(BuildTree(job, threads), expected, std::to_string(threads));
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
  // {1 | 2 2 3}: 16 + 16 / 3; {1 2 2 | 3}: the same, so the lower threshold, which is the value 2 itself.
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
  EXPECT_EQ(built.tree.split_value[0], 6.00001F);  // as XGBoost 3.2
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
  task.leaf_scale = 0.25F;
  std::vector<std::int32_t> leaf_of_row(job.NumRows());
  auto const tree = builder.Build(Context{}, *data, task, state.get(), leaf_of_row);
  auto const leaf = static_cast<std::size_t>(leaf_of_row[0]);
  EXPECT_EQ(tree.split_value[leaf], tree.base_weight[leaf] * (0.3F * 0.25F));
}

TEST(HistBuilder, StatesAreSharedByEqualBins) {
  EXPECT_EQ(MakeHistBuilder({{"max_depth", "3"}})->StateKey(), MakeHistBuilder({})->StateKey());
  EXPECT_NE(MakeHistBuilder({{"max_bin", "64"}})->StateKey(), MakeHistBuilder({})->StateKey());
}

TEST(HistBuilder, RefusesATaskOfAnotherSize) {
  MatrixSpec spec;
  auto const data = MakeMatrix(spec);
  HistBuilder const builder(DefaultParam());
  auto const state = builder.MakeState(Context{}, *data);
  auto const gradients = MakeGradients(spec.n_rows - 1, 1);
  TreeTask task;
  task.gradients = gradients.View();
  std::vector<std::int32_t> leaf_of_row(static_cast<std::size_t>(spec.n_rows));
  EXPECT_THROW(builder.Build(Context{}, *data, task, state.get(), leaf_of_row), Error);
}

}  // namespace
}  // namespace kauri
