/// \file Symmetric trees by their definition (tree/hist/level_search.h), for comparison.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "tree/hist/naive_hist_tree.h"

namespace kauri {

/// The method by its definition: every bin edge of every feature, both directions, sums over rows, all nodes of a
/// level. For a categorical feature, every category against the others.
class NaiveSymmetricTree {
 public:
  /// data: the job's data.
  NaiveSymmetricTree(Job const& job, DataMatrix const& data)
      : job_(job),
        task_(job.Task()),
        cuts_(MakeQuantileCuts(Context{}, data, job.param.max_bin)),
        gain_(MakeGainParam(job.param, job.gradients.unit, !job.constraints.signs.empty())),
        columns_(job.param, 0, task_.place, job.n_cols),
        noise_(job.param, task_.place, testing::NaiveChanceGain(job.gradients, job.sampled), columns_),
        costs_(job.costs) {}
  explicit NaiveSymmetricTree(Job const& job)
      : NaiveSymmetricTree(job, *MakeMatrix(job.values, job.n_cols, job.sparse)) {}

  Built Grow() {
    Node root;
    root.rows.resize(job_.NumRows());
    std::iota(root.rows.begin(), root.rows.end(), std::size_t{0});
    nodes_.push_back(root);
    auto const hessian = HessianOf(Sum(root.rows), gain_);
    gain_.categories = MakeCategoryGain(job_.param, hessian, static_cast<std::int64_t>(job_.NumRows()));
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
    bool is_of_category = false;  // a child of such a split
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
      bool const is_left = cuts_.IsCategorical(split.feature) ? value != static_cast<float>(RightCategory(split))
                                                              : value < split.threshold;
      sides[(std::isnan(value) ? split.default_left : is_left) ? 0 : 1].push_back(row);
    }
    return sides;
  }
  std::int32_t RightCategory(SplitCandidate const& split) const {
    return cuts_.categories[split.feature][static_cast<std::size_t>(split.threshold)];
  }
  GainParam GainAt(std::uint32_t feature) const { return cuts_.IsCategorical(feature) ? OfCategories(gain_) : gain_; }
  /// Returns whether rows of the level miss the feature at nodes that may use it.
  bool HasMissing(std::uint32_t feature) const {
    auto const misses = [&](std::size_t row) {
      return (job_.sampled.empty() || job_.sampled[row] != 0) &&
             std::isnan(job_.values[row * static_cast<std::size_t>(job_.n_cols) + feature]);
    };
    for (std::int32_t id = 0; id < static_cast<std::int32_t>(nodes_.size()); ++id) {
      auto const& rows = nodes_[id].rows;
      if (IsSearched(id) && MayUse(id, feature) && std::any_of(rows.begin(), rows.end(), misses)) return true;
    }
    return false;
  }
  bool MayUse(std::int32_t id, std::uint32_t feature) const {
    auto const drawn = columns_.NodeSet(level_, id);
    return std::binary_search(drawn.begin(), drawn.end(), feature) &&
           nodes_[id].limits.MayUse(job_.constraints, feature);
  }
  /// Returns whether the node is part of the level's histograms: a leaf that two children may come from.
  bool IsSearched(std::int32_t id) const {
    auto const hessian = HessianOf(Sum(nodes_[id].rows), gain_);
    return !nodes_[id].is_split && hessian > 0.0 && hessian >= 2.0 * gain_.min_child_weight;
  }
  /// Returns the split as this node performs it, or nothing if it cannot.
  std::optional<SplitCandidate> InNode(std::int32_t id, SplitCandidate split) const {
    auto const& node = nodes_[id];
    if (node.is_split || !MayUse(id, split.feature)) return std::nullopt;
    auto const sides = Divide(node, split);
    if (!HasEnoughUsedRows(job_, sides[0]) || !HasEnoughUsedRows(job_, sides[1])) return std::nullopt;
    split.left = Sum(sides[0]);
    split.right = Sum(sides[1]);
    if (!HasEnoughHessian(split.left, gain_) || !HasEnoughHessian(split.right, gain_)) return std::nullopt;
    if (!node.limits.Accepts(job_.constraints, split, gain_)) return std::nullopt;
    auto const gain = GainAt(split.feature);
    split.loss_change = node.limits.Gain(split.left, gain) + node.limits.Gain(split.right, gain) -
                        node.limits.Gain(Sum(node.rows), gain_);
    return split;
  }
  /// Returns the noise summed over all nodes that may use the feature.
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
      auto const stays_left = cuts_.IsCategorical(feature) && !HasMissing(feature);
      for (std::uint32_t bin = 0; bin < cuts_.NumBins(feature); ++bin) {
        for (bool const default_left : {false, true}) {
          if (stays_left && default_left) continue;  // ties are resolved as with the missing rows on the right
          SplitCandidate split;
          split.feature = feature;
          split.threshold = cuts_.IsCategorical(feature) ? static_cast<float>(bin) : cuts_.Of(feature)[bin];
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
    if (best.IsValid() && cuts_.IsCategorical(best.feature) && !HasMissing(best.feature)) best.default_left = true;
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
    std::vector<std::int32_t> right;
    if (cuts_.IsCategorical(split.feature)) right = {RightCategory(split)};
    tree_.ExpandNode(
        id, {split.feature, split.threshold, split.default_left, static_cast<float>(split.loss_change), right});
    auto const sides = Divide(nodes_[id], split);
    for (std::size_t side = 0; side < 2; ++side) {
      Node child;
      child.rows = sides[side];
      child.is_of_category = !right.empty();
      child.limits = nodes_[id].limits.OfChild(job_.constraints, split, gain_, side == 0);
      nodes_.push_back(child);
    }
  }
  void Describe(std::int32_t id, Tree* tree) const {
    auto const sum = Sum(nodes_[id].rows);
    auto const gain = nodes_[id].is_of_category ? OfCategories(gain_) : gain_;
    SetNaiveNode(job_, id, sum, static_cast<float>(nodes_[id].limits.Weight(sum, gain)), gain_, tree);
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

}  // namespace kauri
