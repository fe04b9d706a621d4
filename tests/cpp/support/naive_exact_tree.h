/// \file Exact greedy trees by the definition, level by level, evaluating every candidate separately.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <set>
#include <tuple>
#include <vector>

#include "common/random/random.h"
#include "kauri/tree.h"
#include "support/naive_constraints.h"
#include "support/naive_noise.h"
#include "tree/sampling/sampling.h"
#include "tree/split_gain.h"

namespace kauri::testing {

struct NaiveTask {
  std::vector<float> const* values;  ///< [n_rows, n_cols], NaN = missing
  std::size_t n_cols;
  std::vector<FixedPair> const* pairs;
  std::vector<std::uint8_t> used;  ///< [n_rows]
  GainParam gain;
  int max_depth = 6;
  float gamma = 0.0F;
  float leaf_rate = 0.3F;
  NaiveConstraints constraints = {};
  std::int64_t least_rows = 0;             ///< min_data_in_leaf
  ColumnSampler const* columns = nullptr;  ///< for extra_trees; nullptr otherwise
  NaiveNoise noise = {};                   ///< for random_strength
  std::vector<float> costs = {};           ///< costs of columns that are not used yet; empty: none
};

class NaiveExactTree {
 public:
  explicit NaiveExactTree(NaiveTask const& task) : t_(task), n_rows_(task.pairs->size()), costs_(task.costs) {}

  Tree Grow(std::vector<std::int32_t>* leaf_of_row) {
    Node root;
    for (std::size_t row = 0; row < n_rows_; ++row) root.rows.push_back(row);
    Split(&root);
    Prune(&root);
    return Number(root, leaf_of_row);
  }

 private:
  struct Node {
    std::vector<std::size_t> rows;  // sampled or not
    std::vector<Node> children;     // none or two
    SplitCandidate split;
    NaiveLimits limits;
    std::int32_t id = 0;
  };

  float Value(std::size_t row, std::size_t feature) const { return (*t_.values)[row * t_.n_cols + feature]; }
  FixedSum Sum(std::vector<std::size_t> const& rows) const {
    FixedSum sum;
    for (auto const row : rows) {
      if (t_.used[row] != 0) sum += (*t_.pairs)[row];
    }
    return sum;
  }
  std::int64_t Count(std::vector<std::size_t> const& rows) const {
    return std::count_if(rows.begin(), rows.end(), [&](std::size_t row) { return t_.used[row] != 0; });
  }
  /// Returns whether extra_trees selects the boundary between these values.
  bool IsDrawn(Node const& node, std::size_t feature, std::set<float> const& present, float low, float high) const {
    if (t_.columns == nullptr) return true;
    auto const share = RandomUniform(t_.columns->ThresholdKey(node.id), feature);
    auto const value =
        (1.0 - share) * static_cast<double>(*present.begin()) + share * static_cast<double>(*present.rbegin());
    return static_cast<double>(low) <= value && value < static_cast<double>(high);
  }
  std::array<std::vector<std::size_t>, 2> Divide(Node const& node, SplitCandidate const& split) const {
    std::array<std::vector<std::size_t>, 2> sides;
    for (auto const row : node.rows) {
      auto const value = Value(row, split.feature);
      bool const left = std::isnan(value) ? split.default_left : value < split.threshold;
      sides[left ? 0 : 1].push_back(row);
    }
    return sides;
  }
  /// Returns the values of the column, ascending: over all rows, or the used rows of a node.
  std::set<float> Present(std::vector<std::size_t> const* rows, std::size_t feature, bool* any_missing) const {
    std::set<float> present;
    *any_missing = false;
    for (std::size_t i = 0; i < (rows == nullptr ? n_rows_ : rows->size()); ++i) {
      auto const row = rows == nullptr ? i : (*rows)[i];
      if (rows != nullptr && t_.used[row] == 0) continue;
      std::isnan(Value(row, feature)) ? void(*any_missing = true) : void(present.insert(Value(row, feature) + 0.0F));
    }
    return present;
  }
  /// Returns the sort key of a candidate; smaller is better.
  static auto Order(SplitCandidate const& c) {
    return std::make_tuple(-c.loss_change, c.feature, c.default_left, c.default_left ? -c.threshold : c.threshold);
  }
  bool Comes(SplitCandidate const& a, SplitCandidate const& b, std::int32_t node) const {
    auto const noisy_a = a.loss_change + t_.noise.Of(a.feature, node);
    auto const noisy_b = b.loss_change + t_.noise.Of(b.feature, node);
    return noisy_a != noisy_b ? noisy_a > noisy_b : Order(a) < Order(b);
  }
  void Consider(Node* node, std::size_t feature, float threshold, bool default_left) const {
    SplitCandidate candidate;
    candidate.feature = static_cast<std::uint32_t>(feature);
    candidate.threshold = threshold;
    candidate.default_left = default_left;
    auto const sides = Divide(*node, candidate);
    if (Count(sides[0]) < t_.least_rows || Count(sides[1]) < t_.least_rows) return;
    candidate.left = Sum(sides[0]);
    candidate.right = Sum(sides[1]);
    if (!HasEnoughHessian(candidate.left, t_.gain) || !HasEnoughHessian(candidate.right, t_.gain)) return;
    auto const& limits = node->limits;
    if (!limits.Accepts(t_.constraints, candidate, t_.gain)) return;
    auto const cost = costs_.empty() ? 0.0 : static_cast<double>(costs_[feature]);
    candidate.loss_change = limits.Gain(candidate.left, t_.gain) + limits.Gain(candidate.right, t_.gain) -
                            (limits.Gain(Sum(node->rows), t_.gain) + cost);
    if (!(static_cast<float>(candidate.loss_change) > 1e-6F)) return;
    if (!node->split.IsValid() || Comes(candidate, node->split, node->id)) node->split = candidate;
  }
  void ConsiderFeature(Node* node, std::size_t feature) const {
    constexpr float kMax = std::numeric_limits<float>::max();
    bool column_missing = false;
    bool missing = false;
    auto const downwards_only = Present(nullptr, feature, &column_missing).size() == 1 || !column_missing;
    auto const present = Present(&node->rows, feature, &missing);
    if (present.empty()) return;
    for (auto low = present.begin(), high = std::next(low); high != present.end(); ++low, ++high) {
      if (!IsDrawn(*node, feature, present, *low, *high)) continue;
      auto const middle = MidpointThreshold(*low, *high);
      if (!downwards_only) Consider(node, feature, middle, false);
      if (downwards_only || missing) Consider(node, feature, middle, true);
    }
    if (!missing) return;
    auto const least = *present.begin();
    auto const most = *present.rbegin();
    if (!downwards_only && most < kMax)
      Consider(node, feature, std::min(most + (std::fabs(most) + 1e-6F), kMax), false);
    Consider(node, feature, std::max(least - (std::fabs(least) + 1e-6F), -kMax), true);
  }
  void FindSplit(Node* node) const {
    for (std::size_t feature = 0; feature < t_.n_cols; ++feature) {
      if (node->limits.MayUse(t_.constraints, static_cast<std::uint32_t>(feature))) ConsiderFeature(node, feature);
    }
  }
  /// Adds the children; nodes are numbered level by level, before pruning.
  void MakeChildren(Node* node) {
    auto sides = Divide(*node, node->split);
    node->children.resize(2);
    for (std::size_t side = 0; side < 2; ++side) {
      node->children[side].rows = sides[side];
      node->children[side].id = ++last_id_;
      node->children[side].limits = node->limits.OfChild(t_.constraints, node->split, t_.gain, side == 0);
    }
  }
  /// Features of a level's splits are free below it, except in splits that may be pruned.
  void Split(Node* root) {
    std::vector<Node*> level{root};
    for (int depth = 0; depth < t_.max_depth && !level.empty(); ++depth) {
      for (auto* node : level) FindSplit(node);
      std::vector<Node*> below;
      for (auto* node : level) {
        if (!node->split.IsValid()) continue;
        MakeChildren(node);
        for (auto& child : node->children) below.push_back(&child);
        auto const stays = static_cast<float>(node->split.loss_change) >= t_.gamma;
        if (!costs_.empty() && stays) costs_[node->split.feature] = 0.0F;
      }
      level = below;
    }
  }
  void Prune(Node* node) const {
    if (node->children.empty()) return;
    for (auto& child : node->children) Prune(&child);
    auto const weak = static_cast<float>(node->split.loss_change) < t_.gamma;
    if (weak && node->children[0].children.empty() && node->children[1].children.empty()) node->children.clear();
  }
  Tree Number(Node const& root, std::vector<std::int32_t>* leaf_of_row) const {
    Tree tree;
    std::deque<Node const*> order{&root};
    leaf_of_row->assign(n_rows_, kNoNode);
    for (std::int32_t id = 0; !order.empty(); ++id, order.pop_front()) {
      auto const& node = *order.front();
      auto const sum = Sum(node.rows);
      auto const weight = static_cast<float>(node.limits.Weight(sum, t_.gain));
      tree.SetNodeStatistics(id, weight, static_cast<float>(HessianOf(sum, t_.gain)));
      if (node.children.empty()) {
        tree.SetLeafValue(id, weight * t_.leaf_rate);
        for (auto const row : node.rows) (*leaf_of_row)[row] = id;
        continue;
      }
      auto const& split = node.split;
      tree.ExpandNode(id, {split.feature, split.threshold, split.default_left, static_cast<float>(split.loss_change)});
      for (auto const& child : node.children) order.push_back(&child);
    }
    return tree;
  }

  NaiveTask const& t_;
  std::size_t n_rows_;
  std::vector<float> costs_;
  std::int32_t last_id_ = 0;
};

}  // namespace kauri::testing
