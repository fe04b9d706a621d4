/// \file A training job of trees with vector leaves, and the method by its definition for comparison: sums over rows,
/// float64 gains output by output, every bin edge of every feature, one node at a time.
#pragma once

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "common/fixed_point.h"
#include "tree/hist/naive_hist_tree.h"

namespace kauri {

struct VectorJob {
  Job job;                          ///< without gradients
  std::vector<GradientPair> pairs;  ///< [n_rows, n_outputs]
  std::int64_t n_outputs = 2;
  std::vector<std::string> types = {};  ///< column types; the naive tree supports only numeric ones

  std::int64_t NumRows() const { return static_cast<std::int64_t>(job.NumRows()); }
};

/// Returns gradient pairs. same_hessians: all outputs of a row have one hessian. One row in ten has weight 0.
inline std::vector<GradientPair> MakePairs(std::int64_t n_rows, std::int64_t n_outputs, bool same_hessians,
                                           std::uint64_t seed) {
  Random random(seed);
  std::vector<GradientPair> pairs;
  for (std::int64_t row = 0; row < n_rows; ++row) {
    auto const weight = random.Below(10) == 0 ? 0.0F : 1.0F;
    auto hessian = 0.0F;
    for (std::int64_t output = 0; output < n_outputs; ++output) {
      auto const drawn = weight * static_cast<float>(1.0 - random.Uniform());
      if (output == 0 || !same_hessians) hessian = drawn;
      auto const scale = static_cast<float>(output + 1);
      pairs.push_back({weight * scale * random.Normal(), hessian});
    }
  }
  return pairs;
}

/// The integers of all outputs side by side, packed one by one.
class PackedGradients {
 public:
  explicit PackedGradients(VectorJob const& job) {
    auto const n_outputs = job.n_outputs;
    for (std::int64_t output = 0; output < n_outputs; ++output) {
      FixedGradients fixed;
      QuantiseGradients(Context{}, job.pairs, n_outputs, output, job.job.sampled, &fixed);
      units_.push_back(fixed.unit);
      outputs_.push_back(std::move(fixed.pairs));
    }
    n_hessians_ = HaveSameHessians(job) ? 1 : n_outputs;
    auto const n = n_outputs + n_hessians_;
    stride_ = n <= 4 ? 4 : (n + 7) / 8 * 8;
    values_ = hwy::AllocateAligned<std::int32_t>(ToSize(job.NumRows() * stride_));
    for (std::int64_t row = 0; row < job.NumRows(); ++row) Pack(row, n_outputs);
  }
  GradientTableView View() const {
    return {{values_.get(), outputs_[0].size() * ToSize(stride_)}, units_, n_hessians_, stride_};
  }

 private:
  static bool HaveSameHessians(VectorJob const& job) {
    for (std::size_t i = 0; i < job.pairs.size(); ++i) {
      if (job.pairs[i].hessian != job.pairs[i / ToSize(job.n_outputs) * ToSize(job.n_outputs)].hessian) return false;
    }
    return true;
  }
  void Pack(std::int64_t row, std::int64_t n_outputs) {
    auto* const to = values_.get() + row * stride_;
    std::fill(to, to + stride_, 0);
    for (std::int64_t output = 0; output < n_outputs; ++output) {
      to[output] = outputs_[output][row].gradient;
      if (output < n_hessians_) to[n_outputs + output] = outputs_[output][row].hessian;
    }
  }

  std::vector<std::vector<FixedPair>> outputs_;
  std::vector<GradientUnit> units_;
  std::int64_t n_hessians_ = 0;
  std::int64_t stride_ = 0;
  hwy::AlignedFreeUniquePtr<std::int32_t[]> values_;
};

inline Built BuildVectorTree(VectorJob const& job, int threads = 2) {
  Context ctx;
  ctx.threads = threads;
  auto const data = MakeMatrix(job.job.values, job.job.n_cols, job.job.sparse);
  data->MutableInfo()->feature_types = job.types;
  HistBuilder const builder(job.job.param);
  auto const state = builder.MakeState(ctx, *data);
  PackedGradients const packed(job);
  auto task = job.job.Task();
  task.table = packed.View();
  Built built;
  built.leaf_of_row.assign(job.job.NumRows(), -7);
  built.tree = builder.Build(ctx, *data, task, state.get(), built.leaf_of_row);
  return built;
}

class NaiveVectorTree {
 public:
  explicit NaiveVectorTree(VectorJob const& job)
      : job_(job),
        param_(job.job.param),
        cuts_(MakeQuantileCuts(Context{}, *MakeMatrix(job.job.values, job.job.n_cols, job.job.sparse),
                               job.job.param.max_bin)),
        task_(job.job.Task()),
        columns_(param_, 0, task_.place, job.job.n_cols),
        costs_(job.job.costs),
        tree_(static_cast<std::int32_t>(job.n_outputs)) {
    for (std::int64_t output = 0; output < job.n_outputs; ++output) {
      outputs_.emplace_back();
      QuantiseGradients(Context{}, job.pairs, job.n_outputs, output, job.job.sampled, &outputs_.back());
    }
    double chance_gain = 0.0;
    for (auto const& output : outputs_) chance_gain += testing::NaiveChanceGain(output, job.job.sampled);
    noise_ = {param_, task_.place, chance_gain, columns_};
  }

  Built Grow() {
    Node root;
    root.rows.resize(job_.job.NumRows());
    std::iota(root.rows.begin(), root.rows.end(), std::size_t{0});
    root.limits.resize(outputs_.size());
    auto const has_enough = MeanHessian(root.rows) >= static_cast<double>(param_.min_child_weight);
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      root.weights.push_back(has_enough ? Weight(Sum(root.rows, k), {}) : 0.0);
    }
    nodes_.push_back(root);
    for (std::int64_t n_leaves = 1; param_.max_leaves == 0 || n_leaves < param_.max_leaves; ++n_leaves) {
      if (param_.grow_policy == TreeParam::kLossGuide || NextNode() < 0) FindSplits();
      auto const next = NextNode();
      if (next < 0) break;
      Expand(next);
    }
    Built built{tree_, std::vector<std::int32_t>(job_.job.NumRows())};
    for (std::size_t id = 0; id < nodes_.size(); ++id) {
      Describe(id, &built.tree);
      if (!built.tree.IsLeaf(static_cast<std::int32_t>(id))) continue;
      for (auto const row : nodes_[id].rows) built.leaf_of_row[row] = static_cast<std::int32_t>(id);
    }
    return built;
  }

 private:
  struct Pair {
    double gradient = 0.0;
    double hessian = 0.0;
  };
  struct Limits {
    double lower = -kInfinity;
    double upper = kInfinity;
  };
  struct Node {
    std::vector<std::size_t> rows;  // sampled or not
    int depth = 0;
    SplitCandidate split;
    std::vector<double> weights;  // by output
    std::vector<Limits> limits;   // by output
    testing::NaiveLimits path;    // interaction constraints
    bool is_split = false;
  };
  struct Sides {
    std::vector<std::size_t> left;
    std::vector<std::size_t> right;
  };

  /// Returns the sign that binds an output.
  int SignOf(std::uint32_t feature, std::size_t output) const {
    auto const& free = job_.job.free_outputs;
    return !free.empty() && free[output] != 0 ? 0 : job_.job.constraints.SignOf(feature);
  }

  Pair Sum(std::vector<std::size_t> const& rows, std::size_t output) const {
    FixedSum sum;
    for (auto const row : rows) sum += outputs_[output].pairs[row];
    auto const unit = outputs_[output].unit;
    return {static_cast<double>(sum.gradient) * unit.gradient, static_cast<double>(sum.hessian) * unit.hessian};
  }
  Pair SumOfBoth(Sides const& sides, std::size_t output) const {
    auto rows = sides.left;
    rows.insert(rows.end(), sides.right.begin(), sides.right.end());
    return Sum(rows, output);
  }
  double Shrunk(double gradient, double n_leaves = 1.0) const {
    auto const alpha = n_leaves * static_cast<double>(param_.alpha);
    return gradient > alpha ? gradient - alpha : gradient < -alpha ? gradient + alpha : 0.0;
  }
  /// Returns the best common weight of `n_leaves` leaves whose sums add up to `sum`.
  double Weight(Pair sum, Limits limits, double n_leaves = 1.0) const {
    auto const lambda = n_leaves * static_cast<double>(param_.lambda);
    auto weight = sum.hessian > 0.0 ? -Shrunk(sum.gradient, n_leaves) / (sum.hessian + lambda) : 0.0;
    auto const step = static_cast<double>(param_.max_delta_step);
    if (step != 0.0) weight = std::clamp(weight, -step, step);
    return std::clamp(weight, limits.lower, limits.upper);
  }
  double Gain(Pair sum, double weight) const {
    if (sum.hessian <= 0.0) return 0.0;
    auto const curvature = sum.hessian + static_cast<double>(param_.lambda);
    return testing::NaiveGain({sum.gradient, curvature}, weight, static_cast<double>(param_.alpha));
  }
  /// Returns the weights {left, right} of one output.
  std::pair<double, double> Weights(Sides const& sides, std::uint32_t feature, Node const& node, std::size_t k) const {
    auto const left = Weight(Sum(sides.left, k), node.limits[k]);
    auto const right = Weight(Sum(sides.right, k), node.limits[k]);
    auto const sign = SignOf(feature, k);
    if (sign == 0 || (sign > 0 ? left <= right : left >= right)) return {left, right};
    auto const common = Weight(SumOfBoth(sides, k), node.limits[k], 2.0);
    return {common, common};
  }
  double MeanHessian(std::vector<std::size_t> const& rows) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < outputs_.size(); ++k) sum += Sum(rows, k).hessian;
    return sum / static_cast<double>(outputs_.size());
  }
  Sides Divide(Node const& node, SplitCandidate const& split) const {
    Sides sides;
    for (auto const row : node.rows) {
      auto const value = job_.job.values[row * static_cast<std::size_t>(job_.job.n_cols) + split.feature];
      bool const left = std::isnan(value) ? split.default_left : value < split.threshold;
      (left ? sides.left : sides.right).push_back(row);
    }
    return sides;
  }
  /// Searches the nodes added since the last call: children in lossguide, else a whole level.
  void FindSplits() {
    for (; n_searched_ < nodes_.size(); ++n_searched_) {
      FindSplit(&nodes_[n_searched_], static_cast<std::int32_t>(n_searched_));
    }
  }
  void FindSplit(Node* node, std::int32_t id) {
    if (param_.max_depth > 0 && node->depth >= param_.max_depth) return;
    for (auto const feature : columns_.NodeSet(node->depth, id)) {
      if (!node->path.MayUse(job_.job.constraints, feature)) continue;
      if (job_.job.constraints.SignOf(feature) != 0) Consider(feature, cuts_.min_values[feature], true, node);
      for (std::uint32_t bin = 0; bin < cuts_.NumBins(feature); ++bin) {
        for (bool const default_left : {false, true}) Consider(feature, cuts_.Of(feature)[bin], default_left, node);
      }
    }
  }
  void Consider(std::uint32_t feature, float threshold, bool default_left, Node* node) const {
    SplitCandidate candidate;
    candidate.feature = feature;
    candidate.threshold = threshold;
    candidate.default_left = default_left;
    auto const sides = Divide(*node, candidate);
    if (!HasEnoughUsedRows(job_.job, sides.left) || !HasEnoughUsedRows(job_.job, sides.right)) return;
    auto const least = static_cast<double>(param_.min_child_weight);
    if (MeanHessian(sides.left) < least || MeanHessian(sides.right) < least) return;
    double split_gain = 0.0;
    double node_gain = 0.0;
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      auto const [left, right] = Weights(sides, feature, *node, k);
      split_gain += Gain(Sum(sides.left, k), left) + Gain(Sum(sides.right, k), right);
      auto const sum = Sum(node->rows, k);
      node_gain += Gain(sum, Weight(sum, node->limits[k]));
    }
    if (!costs_.empty()) node_gain += static_cast<double>(costs_[feature]);
    candidate.loss_change = split_gain - node_gain;
    auto const loss_change = static_cast<float>(candidate.loss_change);
    auto const id = static_cast<std::int32_t>(node - nodes_.data());
    if (loss_change > 1e-6F && loss_change >= param_.gamma && noise_.Prefers(candidate, node->split, id)) {
      node->split = candidate;
    }
  }
  std::int32_t NextNode() const {
    std::int32_t best = -1;
    for (std::size_t id = 0; id < nodes_.size(); ++id) {
      if (nodes_[id].is_split || !nodes_[id].split.IsValid()) continue;
      if (best < 0 || (param_.grow_policy == TreeParam::kLossGuide &&
                       nodes_[id].split.loss_change > nodes_[best].split.loss_change)) {
        best = static_cast<std::int32_t>(id);
      }
    }
    return best;
  }
  void Expand(std::int32_t id) {
    nodes_[id].is_split = true;
    auto const node = nodes_[id];
    auto const& split = node.split;
    if (!costs_.empty()) costs_[split.feature] = 0.0F;
    tree_.ExpandNode(id, {split.feature, split.threshold, split.default_left, static_cast<float>(split.loss_change)});
    auto const sides = Divide(node, split);
    for (bool const is_left : {true, false}) {
      Node child;
      child.rows = is_left ? sides.left : sides.right;
      child.depth = node.depth + 1;
      child.limits = node.limits;
      child.path = node.path;
      child.path.path.insert(split.feature);
      for (std::size_t k = 0; k < outputs_.size(); ++k) {
        auto const [left, right] = Weights(sides, split.feature, node, k);
        child.weights.push_back(is_left ? left : right);
        auto const middle = static_cast<double>((static_cast<float>(left) + static_cast<float>(right)) / 2.0F);
        auto const sign = SignOf(split.feature, k);
        if (sign != 0) ((sign > 0) == is_left ? child.limits[k].upper : child.limits[k].lower) = middle;
      }
      nodes_.push_back(child);
    }
  }
  void Describe(std::size_t id, Tree* tree) const {
    auto const& node = nodes_[id];
    auto const is_leaf = tree->IsLeaf(static_cast<std::int32_t>(id));
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      auto const weight = static_cast<float>(node.weights[k]);
      tree->base_weight[id * outputs_.size() + k] = is_leaf && id > 0 ? weight * param_.eta : weight;
      tree->leaf_vector[id * outputs_.size() + k] = is_leaf ? weight * param_.eta : 0.0F;
    }
    tree->sum_hessian[id] = static_cast<float>(MeanHessian(node.rows) * static_cast<double>(outputs_.size()));
  }

  VectorJob const& job_;
  TreeParam const& param_;
  QuantileCuts cuts_;
  TreeTask task_;
  ColumnSampler columns_;
  testing::NaiveNoise noise_;
  std::vector<float> costs_;
  Tree tree_;
  std::vector<FixedGradients> outputs_;
  std::vector<Node> nodes_;
  std::size_t n_searched_ = 0;
};

}  // namespace kauri
