/// \file A training job of the histogram method, and the method by its definition for comparison.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "common/random/random.h"
#include "support/built_tree.h"
#include "support/naive_constraints.h"
#include "support/naive_noise.h"
#include "support/random_matrix.h"
#include "support/same_tree.h"
#include "tree/growth/tree_common.h"
#include "tree/hist/hist_builder.h"
#include "tree/hist/hist_grower.h"
#include "tree/sampling/sampling.h"

namespace kauri {

using testing::MakeGradients;
using testing::MakeMatrix;
using testing::MakeValues;
using testing::MatrixSpec;
using testing::Random;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Job {
  std::vector<float> values;  ///< [n_rows, n_cols]
  std::int64_t n_cols = 1;
  bool sparse = false;
  TreeParam param = DefaultParam();
  std::vector<std::uint8_t> sampled;
  FixedGradients gradients;
  testing::NaiveConstraints constraints = {};   ///< parsed from param
  std::vector<float> costs = {};                ///< costs of columns that are not used yet; empty: none
  std::vector<std::uint8_t> free_outputs = {};  ///< as in TreePlace

  TreeTask Task() const {
    TreeTask task;
    task.gradients = gradients.View();
    task.sampled_rows = sampled;
    task.place.iteration = 3;
    task.place.n_rows = static_cast<std::int64_t>(NumRows());
    task.place.feature_costs = costs;
    task.place.free_outputs = free_outputs;
    return task;
  }
  std::size_t NumRows() const { return values.size() / static_cast<std::size_t>(n_cols); }
};

inline Built BuildTree(Job const& job, int threads = 2) {
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

/// Returns whether enough of these rows for a leaf are used: rows left out by sampling do not count.
inline bool HasEnoughUsedRows(Job const& job, std::vector<std::size_t> const& rows) {
  auto const n_rows = std::count_if(rows.begin(), rows.end(),
                                    [&](std::size_t row) { return job.sampled.empty() || job.sampled[row] != 0; });
  return n_rows >= job.param.min_data_in_leaf;
}

/// Sets the statistics of a finished tree's node from its sum and weight.
inline void SetNaiveNode(Job const& job, std::int32_t id, FixedSum sum, float weight, GainParam const& gain,
                         Tree* tree) {
  auto const value = weight * job.param.eta;
  auto const has_value = tree->IsLeaf(id) && id > 0;
  tree->SetNodeStatistics(id, has_value ? value : weight, static_cast<float>(HessianOf(sum, gain)));
  if (tree->IsLeaf(id)) tree->SetLeafValue(id, value);
}

/// The method by its definition: every bin edge of every feature, both directions, sums over rows, one node at a time.
class NaiveHistTree {
 public:
  explicit NaiveHistTree(Job const& job)
      : job_(job),
        cuts_(MakeQuantileCuts(Context{}, *MakeMatrix(job.values, job.n_cols, job.sparse), job.param.max_bin)),
        gain_(MakeGainParam(job.param, job.gradients.unit, !job.constraints.signs.empty())),
        columns_(job.param, 0, (task_ = job.Task()).place, job.n_cols),
        noise_(job.param, task_.place, testing::NaiveChanceGain(job.gradients, job.sampled), columns_),
        costs_(job.costs) {}

  Built Grow() {
    Node root;
    root.rows.resize(job_.NumRows());
    std::iota(root.rows.begin(), root.rows.end(), std::size_t{0});
    nodes_.push_back(root);
    for (std::int64_t n_leaves = 1; job_.param.max_leaves == 0 || n_leaves < job_.param.max_leaves; ++n_leaves) {
      if (job_.param.grow_policy == TreeParam::kLossGuide || NextNode() < 0) FindSplits();
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
    testing::NaiveLimits limits;
    bool is_split = false;
  };

  bool HasEnoughRows(std::vector<std::size_t> const& rows) const {
    auto const n_rows = std::count_if(rows.begin(), rows.end(),
                                      [&](std::size_t row) { return job_.sampled.empty() || job_.sampled[row] != 0; });
    return n_rows >= job_.param.min_data_in_leaf;
  }
  /// Returns whether extra_trees allows this edge at the node: it has as many non-empty bins on its left as the random
  /// one.
  bool IsDrawn(std::uint32_t feature, float threshold, Node const& node, std::int32_t id) const {
    if (!job_.param.extra_trees) return true;
    std::map<std::uint32_t, FixedSum> bins;
    auto const* cuts = cuts_.Of(feature);
    for (auto const row : node.rows) {
      auto const value = job_.values[row * static_cast<std::size_t>(job_.n_cols) + feature];
      if (std::isnan(value) || (!job_.sampled.empty() && job_.sampled[row] == 0)) continue;
      auto const bin = std::upper_bound(cuts, cuts + cuts_.NumBins(feature), value) - cuts;
      bins[static_cast<std::uint32_t>(bin)] += FixedSum(Sum({row}));
    }
    std::uint32_t n_bins = 0;
    std::uint32_t n_left = 0;
    for (auto const& [bin, sum] : bins) {
      // If rows are not counted, rows that sum to zero are not seen.
      if (sum == FixedSum{} && job_.param.min_data_in_leaf <= 1) continue;
      ++n_bins;
      if (cuts[bin] <= threshold) ++n_left;
    }
    if (n_left == 0 || n_left == n_bins) return true;  // separates the missing rows from the others
    return n_left - 1 == RandomBelow(columns_.ThresholdKey(id), feature, n_bins - 1);
  }
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
  /// Searches the nodes added since the last call: children in lossguide, else a whole level.
  void FindSplits() {
    for (; n_searched_ < nodes_.size(); ++n_searched_) {
      FindSplit(&nodes_[n_searched_], static_cast<std::int32_t>(n_searched_));
    }
  }
  void FindSplit(Node* node, std::int32_t id) {
    auto const& param = job_.param;
    if (param.max_depth > 0 && node->depth >= param.max_depth) return;
    for (auto const feature : columns_.NodeSet(node->depth, id)) {
      if (!node->limits.MayUse(job_.constraints, feature)) continue;
      // Only the missing rows go left. Without a sign this duplicates the split that sends them right.
      if (job_.constraints.SignOf(feature) != 0) Consider(feature, cuts_.min_values[feature], true, node);
      for (std::uint32_t bin = 0; bin < cuts_.NumBins(feature); ++bin) {
        if (!IsDrawn(feature, cuts_.Of(feature)[bin], *node, id)) continue;
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
    if (!HasEnoughRows(sides[0]) || !HasEnoughRows(sides[1])) return;
    candidate.left = Sum(sides[0]);
    candidate.right = Sum(sides[1]);
    if (!HasEnoughHessian(candidate.left, gain_) || !HasEnoughHessian(candidate.right, gain_)) return;
    auto const& limits = node->limits;
    if (!limits.Accepts(job_.constraints, candidate, gain_)) return;
    auto const cost = costs_.empty() ? 0.0 : static_cast<double>(costs_[feature]);
    candidate.loss_change = limits.Gain(candidate.left, gain_) + limits.Gain(candidate.right, gain_) -
                            (limits.Gain(Sum(node->rows), gain_) + cost);
    auto const loss_change = static_cast<float>(candidate.loss_change);
    auto const id = static_cast<std::int32_t>(node - nodes_.data());
    if (loss_change > 1e-6F && loss_change >= job_.param.gamma && noise_.Prefers(candidate, node->split, id)) {
      node->split = candidate;
    }
  }
  /// Returns the next node to split; the lowest id is also the first of its level.
  std::int32_t NextNode() const {
    std::int32_t best = -1;
    for (std::size_t id = 0; id < nodes_.size(); ++id) {
      if (nodes_[id].is_split || !nodes_[id].split.IsValid()) continue;
      auto const is_first = best < 0;
      if (is_first || (job_.param.grow_policy == TreeParam::kLossGuide &&
                       nodes_[id].split.loss_change > nodes_[best].split.loss_change)) {
        best = static_cast<std::int32_t>(id);
      }
    }
    return best;
  }
  void Expand(std::int32_t id) {
    auto& node = nodes_[id];
    node.is_split = true;
    auto const split = node.split;
    auto const limits = node.limits;
    auto const depth = node.depth + 1;
    if (!costs_.empty()) costs_[split.feature] = 0.0F;
    tree_.ExpandNode(id, {split.feature, split.threshold, split.default_left, static_cast<float>(split.loss_change)});
    auto const sides = Divide(node, split);
    for (std::size_t side = 0; side < 2; ++side) {
      Node child;
      child.rows = sides[side];
      child.depth = depth;
      child.limits = limits.OfChild(job_.constraints, split, gain_, side == 0);
      nodes_.push_back(child);
    }
  }
  void Describe(std::int32_t id, Tree* tree) const {
    auto const& node = nodes_[id];
    auto const sum = Sum(node.rows);
    SetNaiveNode(job_, id, sum, static_cast<float>(node.limits.Weight(sum, gain_)), gain_, tree);
  }

  Job const& job_;
  QuantileCuts cuts_;
  GainParam gain_;
  TreeTask task_;
  ColumnSampler columns_;
  testing::NaiveNoise noise_;
  std::vector<float> costs_;
  Tree tree_;
  std::vector<Node> nodes_;
  std::size_t n_searched_ = 0;
};

inline void ExpectRawValuesReachTheSameLeaves(Job const& job, Built const& built) {
  auto const data = MakeMatrix(job.values, job.n_cols, job.sparse);
  for (std::size_t row = 0; row < job.NumRows(); ++row) {
    ASSERT_EQ(FindLeaf(built.tree, *data, static_cast<std::int64_t>(row)), built.leaf_of_row[row]) << row;
  }
}

}  // namespace kauri
