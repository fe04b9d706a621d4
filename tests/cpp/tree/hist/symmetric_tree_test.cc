#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "support/error.h"
#include "tree/hist/naive_hist_tree.h"

namespace kauri {
namespace {

/// The method from its definition: every cut of every feature, both directions, sums over rows, all nodes of a level.
class NaiveSymmetricTree {
 public:
  explicit NaiveSymmetricTree(Job const& job)
      : job_(job),
        task_(job.Task()),
        cuts_(MakeQuantileCuts(Context{}, *MakeMatrix(job.values, job.n_cols, job.sparse), job.param.max_bin)),
        gain_(MakeGainParam(job.param, job.gradients.unit, !job.constraints.signs.empty())),
        columns_(job.param, 0, task_.place, job.n_cols),
        noise_(job.param, task_.place, testing::NaiveChanceGain(job.gradients, job.sampled), columns_),
        costs_(job.costs) {}

  Built Grow() {
    Node root;
    root.rows.resize(job_.NumRows());
    std::iota(root.rows.begin(), root.rows.end(), std::size_t{0});
    nodes_.push_back(root);
    for (level_ = 0; job_.param.max_depth == 0 || level_ < job_.param.max_depth; ++level_) {
      if (!SplitLevel(FindBest())) break;
    }
    Built built{tree_, std::vector<std::int32_t>(job_.NumRows())};
    for (std::int32_t id = 0; id < built.tree.NumNodes(); ++id) {
      Describe(id, &built.tree);
      if (!built.tree.IsLeaf(id)) continue;
      for (auto const row : nodes_[id].rows) built.leaf_of_row[row] = id;
    }
    return built;
  }

 private:
  struct Node {
    std::vector<std::size_t> rows;  // sampled or not
    testing::NaiveLimits limits;
    bool is_split = false;
  };

  FixedSum Sum(std::vector<std::size_t> const& rows) const {
    FixedSum sum;
    for (auto const row : rows) {
      if (job_.sampled.empty() || job_.sampled[row] != 0) sum += job_.gradients.pairs[row];
    }
    return sum;
  }
  bool HasEnoughRows(std::vector<std::size_t> const& rows) const {
    auto const n_rows = std::count_if(rows.begin(), rows.end(),
                                      [&](std::size_t row) { return job_.sampled.empty() || job_.sampled[row] != 0; });
    return n_rows >= job_.param.min_data_in_leaf;
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
  bool MayUse(std::int32_t id, std::uint32_t feature) const {
    auto const drawn = columns_.NodeSet(level_, id);
    return std::binary_search(drawn.begin(), drawn.end(), feature) &&
           nodes_[id].limits.MayUse(job_.constraints, feature);
  }
  /// Whether the level's histograms are those of this node, too: it is a leaf that two children may come of.
  bool IsSearched(std::int32_t id) const {
    auto const hessian = HessianOf(Sum(nodes_[id].rows), gain_);
    return !nodes_[id].is_split && hessian > 0.0 && hessian >= 2.0 * gain_.min_child_weight;
  }
  /// The split as this node makes it; nothing where it cannot.
  std::optional<SplitCandidate> InNode(std::int32_t id, SplitCandidate split) const {
    auto const& node = nodes_[id];
    if (node.is_split || !MayUse(id, split.feature)) return std::nullopt;
    auto const sides = Divide(node, split);
    if (!HasEnoughRows(sides[0]) || !HasEnoughRows(sides[1])) return std::nullopt;
    split.left = Sum(sides[0]);
    split.right = Sum(sides[1]);
    if (!HasEnoughHessian(split.left, gain_) || !HasEnoughHessian(split.right, gain_)) return std::nullopt;
    if (!node.limits.Accepts(job_.constraints, split, gain_)) return std::nullopt;
    split.loss_change = node.limits.Gain(split.left, gain_) + node.limits.Gain(split.right, gain_) -
                        node.limits.Gain(Sum(node.rows), gain_);
    return split;
  }
  /// Of all nodes that may use the feature.
  double Noise(std::uint32_t feature) const {
    double noise = 0.0;
    for (std::int32_t id = 0; id < static_cast<std::int32_t>(nodes_.size()); ++id) {
      if (IsSearched(id) && MayUse(id, feature)) noise += noise_.Of(feature, id);
    }
    return noise;
  }
  SplitCandidate FindBest() const {
    SplitCandidate best;
    double best_noise = 0.0;
    for (std::uint32_t feature = 0; feature < job_.n_cols; ++feature) {
      auto const noise = Noise(feature);
      for (std::uint32_t bin = 0; bin < cuts_.NumBins(feature); ++bin) {
        for (bool const default_left : {false, true}) {
          SplitCandidate split;
          split.feature = feature;
          split.threshold = cuts_.Of(feature)[bin];
          split.default_left = default_left;
          for (std::int32_t id = 0; id < static_cast<std::int32_t>(nodes_.size()); ++id) {
            auto const found = InNode(id, split);
            if (found) split.loss_change += found->loss_change - static_cast<double>(job_.param.gamma);
          }
          if (!costs_.empty()) split.loss_change -= static_cast<double>(costs_[feature]);
          if (!(static_cast<float>(split.loss_change) > 1e-6F)) continue;
          auto const noisy = split.loss_change + noise;
          auto const to_beat = best.loss_change + best_noise;
          if (best.IsValid() && (noisy == to_beat ? !IsBetter(split, best) : noisy < to_beat)) continue;
          best = split;
          best_noise = noise;
        }
      }
    }
    return best;
  }
  bool SplitLevel(SplitCandidate const& split) {
    if (!split.IsValid()) return false;
    std::vector<std::pair<std::int32_t, SplitCandidate>> made;
    std::size_t n_leaves = 0;
    for (std::int32_t id = 0; id < static_cast<std::int32_t>(nodes_.size()); ++id) {
      n_leaves += nodes_[id].is_split ? 0 : 1;
      if (auto const found = InNode(id, split)) made.emplace_back(id, *found);
    }
    auto const max_leaves = static_cast<std::size_t>(job_.param.max_leaves);
    if (max_leaves > 0 && n_leaves + made.size() > max_leaves) return false;
    for (auto const& [id, found] : made) Expand(id, found);
    if (!costs_.empty()) costs_[split.feature] = 0.0F;
    return true;
  }
  void Expand(std::int32_t id, SplitCandidate const& split) {
    nodes_[id].is_split = true;
    tree_.ExpandNode(id, {split.feature, split.threshold, split.default_left, static_cast<float>(split.loss_change)});
    auto const sides = Divide(nodes_[id], split);
    for (std::size_t side = 0; side < 2; ++side) {
      Node child;
      child.rows = sides[side];
      child.limits = nodes_[id].limits.OfChild(job_.constraints, split, gain_, side == 0);
      nodes_.push_back(child);
    }
  }
  void Describe(std::int32_t id, Tree* tree) const {
    auto const sum = Sum(nodes_[id].rows);
    auto const weight = static_cast<float>(nodes_[id].limits.Weight(sum, gain_));
    auto const value = weight * job_.param.eta;
    auto const has_value = tree->IsLeaf(id) && id > 0;
    tree->SetNodeStatistics(id, has_value ? value : weight, static_cast<float>(HessianOf(sum, gain_)));
    if (tree->IsLeaf(id)) tree->SetLeafValue(id, value);
  }

  Job const& job_;
  TreeTask task_;
  QuantileCuts cuts_;
  GainParam gain_;
  ColumnSampler columns_;
  testing::NaiveNoise noise_;
  std::vector<float> costs_;
  Tree tree_;
  std::int32_t level_ = 0;
  std::vector<Node> nodes_;
};

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

/// The missing rows alone on the left are no candidate here, so that no value is missing where a feature has a sign.
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

TEST(SymmetricTree, HasOneQuestionALevel) {
  auto const tree = BuildTree(LargeJob(0.2)).tree;
  std::set<std::tuple<std::uint32_t, float, bool>> questions;
  for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
    if (tree.IsLeaf(node)) continue;
    questions.emplace(tree.split_feature[node], tree.split_value[node], tree.default_left[node] != 0);
  }
  EXPECT_EQ(questions.size(), 7U);
}

/// One state, trees of either kind in turn: what one leaves behind is nothing to the other.
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

/// Two nodes whose best splits differ: {0 | 1} in the left half gains 8 there, {2 | 3} in the right one 2, and each
/// nothing in the other; the level takes the first, which the right half cannot make.
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
