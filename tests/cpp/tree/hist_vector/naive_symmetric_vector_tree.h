/// \file Symmetric trees with vector leaves and random thresholds by their definition (tree/hist_vector/drawn_level.h),
/// for comparison: every test of every feature, sums over rows, all nodes of a level.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "tree/hist_vector/naive_vector_tree.h"

namespace kauri {

class NaiveSymmetricVectorTree {
 public:
  explicit NaiveSymmetricVectorTree(VectorJob const& job)
      : job_(job),
        param_(job.job.param),
        data_(MakeMatrix(job.job.values, job.job.n_cols, job.job.sparse)),
        packed_(job),
        table_(packed_.View()),
        gain_(MakeVectorGainParam(param_, table_, !job.job.constraints.signs.empty(), job.job.free_outputs)),
        task_(job.job.Task()),
        columns_(param_, 0, task_.place, job.job.n_cols),
        costs_(job.job.costs),
        tree_(static_cast<std::int32_t>(job.n_outputs)) {
    data_->MutableInfo()->feature_types = job.types;
    cuts_ = MakeQuantileCuts(Context{}, *data_, param_.max_bin);
    double chance_gain = 0.0;
    for (std::int64_t output = 0; output < job.n_outputs; ++output) {
      FixedGradients of_output;
      QuantiseGradients(Context{}, job.pairs, job.n_outputs, output, job.job.sampled, &of_output);
      chance_gain += testing::NaiveChanceGain(of_output, job.job.sampled);
    }
    noise_ = {param_, task_.place, chance_gain, columns_};
  }

  Built Grow() {
    Node root;
    root.rows.resize(job_.job.NumRows());
    std::iota(root.rows.begin(), root.rows.end(), std::size_t{0});
    auto const sums = Sum(root.rows);
    auto const hessian = SumHessians(sums.data(), gain_);
    gain_.categories = MakeCategoryGain(param_, hessian, static_cast<std::int64_t>(job_.job.NumRows()));
    for (auto& output : gain_.outputs) output.categories = gain_.categories;
    if (!job_.job.constraints.signs.empty()) root.bounds.resize(ToSize(job_.n_outputs));
    for (std::int64_t output = 0; output < job_.n_outputs; ++output) {
      auto const weight = LeafWeight(gain_.SumOf(sums.data(), output), gain_.Of(output));
      root.weights.push_back(gain_.HasEnough(hessian) ? weight : 0.0);
    }
    nodes_.push_back(root);
    for (level_ = 0; param_.max_depth == 0 || level_ < param_.max_depth; ++level_) {
      if (!SplitLevel(FindBest())) break;
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
  using Rows = std::vector<std::size_t>;
  struct Node {
    Rows rows;  // sampled or not
    std::vector<double> weights;
    std::vector<WeightBounds> bounds;
    testing::NaiveLimits path;
    bool is_split = false;
  };
  /// A test, ordered by precedence at equal scores; the threshold of a category is its index.
  struct Condition {
    std::uint32_t feature;
    float threshold;
    bool default_left;
  };

  bool IsCategorical(Condition const& condition) const { return cuts_.IsCategorical(condition.feature); }
  std::int32_t RightCategory(Condition const& condition) const {
    return cuts_.categories[condition.feature][static_cast<std::size_t>(condition.threshold)];
  }
  std::vector<std::int64_t> Sum(Rows const& rows) const {
    std::vector<std::int64_t> sums(ToSize(table_.stride), 0);
    for (auto const row : rows) {
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += table_.values[row * sums.size() + i];
    }
    return sums;
  }
  std::array<Rows, 2> Divide(Node const& node, Condition const& condition) const {
    std::array<Rows, 2> sides;
    for (auto const row : node.rows) {
      auto const value = job_.job.values[row * static_cast<std::size_t>(job_.job.n_cols) + condition.feature];
      auto const is_left = IsCategorical(condition) ? value != static_cast<float>(RightCategory(condition))
                                                    : value < condition.threshold;
      sides[(std::isnan(value) ? condition.default_left : is_left) ? 0 : 1].push_back(row);
    }
    return sides;
  }
  bool MayUse(std::size_t id, std::uint32_t feature) const {
    auto const drawn = columns_.NodeSet(level_, static_cast<std::int32_t>(id));
    return std::binary_search(drawn.begin(), drawn.end(), feature) &&
           nodes_[id].path.MayUse(job_.job.constraints, feature);
  }
  bool IsSearched(std::size_t id) const {
    auto const sums = Sum(nodes_[id].rows);
    auto const mean = SumHessians(sums.data(), gain_) / static_cast<double>(job_.n_outputs);
    return !nodes_[id].is_split && IsEnoughForTwo(mean, static_cast<double>(param_.min_child_weight));
  }
  GainParam GainOf(std::int64_t output, Condition const& condition) const {
    return IsCategorical(condition) ? OfCategories(gain_.Of(output)) : gain_.Of(output);
  }
  ChildWeights Weights(std::array<Rows, 2> const& sides, Node const& node, Condition const& condition,
                       std::int64_t output) const {
    auto const bounds = node.bounds.empty() ? WeightBounds{} : node.bounds[output];
    return SplitWeights(gain_.SumOf(Sum(sides[0]).data(), output), gain_.SumOf(Sum(sides[1]).data(), output),
                        GainOf(output, condition), bounds, job_.job.constraints.SignOf(condition.feature));
  }
  /// Returns the change of the node's loss, or nothing if it cannot perform the split.
  std::optional<double> LossIn(std::size_t id, Condition const& condition) const {
    auto const& node = nodes_[id];
    if (node.is_split || !MayUse(id, condition.feature)) return std::nullopt;
    auto const sides = Divide(node, condition);
    if (!HasEnoughUsedRows(job_.job, sides[0]) || !HasEnoughUsedRows(job_.job, sides[1])) return std::nullopt;
    auto const left = Sum(sides[0]);
    auto const right = Sum(sides[1]);
    for (auto const& sums : {left, right}) {
      auto const hessian = SumHessians(sums.data(), gain_);
      if (!(hessian > 0.0) || !gain_.HasEnough(hessian)) return std::nullopt;
    }
    double gain = 0.0;
    for (std::int64_t output = 0; output < job_.n_outputs; ++output) {
      auto const bounds = node.bounds.empty() ? WeightBounds{} : node.bounds[output];
      gain += OutputSplitGain(gain_.SumOf(left.data(), output), gain_.SumOf(right.data(), output),
                              GainOf(output, condition), bounds, job_.job.constraints.SignOf(condition.feature));
    }
    return gain - VectorGain(Sum(node.rows).data(), gain_, node.bounds);
  }
  std::vector<Condition> ConditionsOf(std::uint32_t feature) const {
    auto const n_bins = cuts_.NumBins(feature);
    auto const is_categorical = cuts_.IsCategorical(feature);
    auto const n = is_categorical ? n_bins : n_bins - 1;
    auto const code = n > 0 ? RandomBelow(columns_.ThresholdKey(level_), feature, n) : 0;
    if (is_categorical) {
      if (n == 0) return {};
      return {{feature, static_cast<float>(code), true}, {feature, static_cast<float>(code), false}};
    }
    std::vector<Condition> conditions;
    if (n > 0) conditions = {{feature, cuts_.Of(feature)[code], false}, {feature, cuts_.Of(feature)[code], true}};
    if (std::isfinite(cuts_.Of(feature)[n_bins - 1])) {
      conditions.push_back({feature, cuts_.Of(feature)[n_bins - 1], false});
    }
    return conditions;
  }
  double NoiseOf(std::uint32_t feature) const {
    double noise = 0.0;
    for (std::size_t id = 0; id < nodes_.size(); ++id) {
      if (IsSearched(id) && MayUse(id, feature)) noise += noise_.Of(feature, static_cast<std::int32_t>(id));
    }
    return noise;
  }
  std::optional<Condition> FindBest() const {
    std::optional<Condition> best;
    double most = 0.0;        // including noise
    double most_quiet = 0.0;  // the same without noise
    for (std::uint32_t feature = 0; feature < job_.job.n_cols; ++feature) {
      auto const noise = NoiseOf(feature);
      for (auto const& condition : ConditionsOf(feature)) {
        double score = 0.0;
        for (std::size_t id = 0; id < nodes_.size(); ++id) {
          if (!IsSearched(id)) continue;
          if (auto const loss = LossIn(id, condition)) score += *loss - static_cast<double>(param_.gamma);
        }
        if (!costs_.empty()) score -= static_cast<double>(costs_[feature]);
        if (!(static_cast<float>(score) > 1e-6F)) continue;
        auto const is_same = best && best->feature == feature;
        auto const is_more =
            is_same ? score > most_quiet : score + noise > most || (score + noise == most && score > most_quiet);
        if (best && !is_more) continue;
        best = condition;
        most = score + noise;
        most_quiet = score;
      }
    }
    return best;
  }
  bool SplitLevel(std::optional<Condition> const& condition) {
    if (!condition) return false;
    std::vector<std::pair<std::size_t, double>> made;
    std::size_t n_leaves = 0;
    for (std::size_t id = 0; id < nodes_.size(); ++id) {
      n_leaves += nodes_[id].is_split ? 0 : 1;
      if (!IsSearched(id)) continue;
      if (auto const loss = LossIn(id, *condition)) made.emplace_back(id, *loss);
    }
    if (param_.max_leaves > 0 && n_leaves + made.size() > ToSize(param_.max_leaves)) return false;
    for (auto const& [id, loss] : made) Expand(id, *condition, loss);
    if (!costs_.empty()) costs_[condition->feature] = 0.0F;
    return true;
  }
  void Expand(std::size_t id, Condition const& condition, double loss) {
    nodes_[id].is_split = true;
    auto const node = nodes_[id];
    std::vector<std::int32_t> right;
    if (IsCategorical(condition)) right = {RightCategory(condition)};
    tree_.ExpandNode(static_cast<std::int32_t>(id),
                     {condition.feature, condition.threshold, condition.default_left, static_cast<float>(loss), right});
    auto const sides = Divide(node, condition);
    auto const sign = job_.job.constraints.SignOf(condition.feature);
    for (bool const is_left : {true, false}) {
      Node child;
      child.rows = sides[is_left ? 0 : 1];
      child.bounds = node.bounds;
      child.path = node.path;
      child.path.path.insert(condition.feature);
      for (std::int64_t output = 0; output < job_.n_outputs; ++output) {
        auto const [left_weight, right_weight] = Weights(sides, node, condition, output);
        child.weights.push_back(is_left ? left_weight : right_weight);
        if (sign == 0 || !gain_.Of(output).monotone) continue;
        auto const middle =
            static_cast<double>((static_cast<float>(left_weight) + static_cast<float>(right_weight)) / 2.0F);
        auto& bounds = child.bounds[ToSize(output)];
        ((sign > 0) == is_left ? bounds.upper : bounds.lower) = middle;
      }
      nodes_.push_back(child);
    }
  }
  void Describe(std::size_t id, Tree* tree) const {
    auto const& node = nodes_[id];
    auto const is_leaf = tree->IsLeaf(static_cast<std::int32_t>(id));
    auto const n_outputs = ToSize(job_.n_outputs);
    for (std::size_t k = 0; k < n_outputs; ++k) {
      auto const weight = static_cast<float>(node.weights[k]);
      tree->base_weight[id * n_outputs + k] = is_leaf && id > 0 ? weight * param_.eta : weight;
      tree->leaf_vector[id * n_outputs + k] = is_leaf ? weight * param_.eta : 0.0F;
    }
    tree->sum_hessian[id] = static_cast<float>(SumHessians(Sum(node.rows).data(), gain_));
  }

  VectorJob const& job_;
  TreeParam const& param_;
  std::shared_ptr<DataMatrix> data_;
  PackedGradients packed_;
  GradientTableView table_;
  VectorGainParam gain_;
  QuantileCuts cuts_;
  TreeTask task_;
  ColumnSampler columns_;
  testing::NaiveNoise noise_;
  std::vector<float> costs_;
  Tree tree_;
  std::int32_t level_ = 0;
  std::vector<Node> nodes_;
};

}  // namespace kauri
