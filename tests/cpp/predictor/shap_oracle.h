/// \file Shapley values and interactions from their definition: all subsets, long double.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "predictor_fixtures.h"

namespace kauri::testing {

/// The game of one tree and one row: worth of a subset of the features that are known.
class TreeGame {
 public:
  TreeGame(Tree const& tree, float weight, MemoryView const& rows, std::int64_t row)
      : tree_(tree), weight_(weight), rows_(rows), row_(row) {
    for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
      if (!tree.IsLeaf(node)) features_.push_back(tree.split_feature[static_cast<std::size_t>(node)]);
    }
    std::sort(features_.begin(), features_.end());
    features_.erase(std::unique(features_.begin(), features_.end()), features_.end());
    for (std::uint32_t set = 0; set < (1U << features_.size()); ++set) worth_.push_back(Expect(0, set));
  }

  std::vector<std::uint32_t> const& Features() const { return features_; }
  long double Worth(std::uint32_t set) const { return worth_[set]; }

  /// phi of features_[i] (equation 2 of Mitchell et al.).
  long double Shapley(std::size_t i) const {
    long double sum = 0;
    for (std::uint32_t set = 0; set < worth_.size(); ++set) {
      if ((set >> i) & 1U) continue;
      sum += SubsetWeight(set, features_.size() - 1) * (Worth(set | (1U << i)) - Worth(set));
    }
    return sum;
  }

  /// Half of the Shapley interaction index of features_[i] and features_[j] (equation 3).
  long double Interaction(std::size_t i, std::size_t j) const {
    auto const a = 1U << i;
    auto const b = 1U << j;
    long double sum = 0;
    for (std::uint32_t set = 0; set < worth_.size(); ++set) {
      if ((set & (a | b)) != 0) continue;
      sum += SubsetWeight(set, features_.size() - 2) *
             (Worth(set | a | b) - Worth(set | a) - Worth(set | b) + Worth(set)) / 2;
    }
    return sum;
  }

 private:
  /// |S|! (n - |S|)! / (n + 1)!
  static long double SubsetWeight(std::uint32_t set, std::size_t n) {
    std::size_t size = 0;
    for (; set != 0; set &= set - 1) ++size;
    long double weight = 1.0L / static_cast<long double>(n + 1);
    for (std::size_t k = 1; k <= size; ++k)
      weight *= static_cast<long double>(k) / static_cast<long double>(n - size + k);
    return weight;
  }

  long double Expect(std::int32_t node, std::uint32_t known) const {
    auto const index = static_cast<std::size_t>(node);
    if (tree_.IsLeaf(node)) return static_cast<long double>(tree_.split_value[index] * weight_);
    auto const feature = tree_.split_feature[index];
    auto const left = tree_.left[index];
    auto const right = tree_.right[index];
    auto const place = std::lower_bound(features_.begin(), features_.end(), feature) - features_.begin();
    if ((known >> place) & 1U) return Expect(NaiveGoesLeft(tree_, node, rows_.At(row_, feature)) ? left : right, known);
    return Share(node, left) * Expect(left, known) + Share(node, right) * Expect(right, known);
  }
  long double Share(std::int32_t parent, std::int32_t child) const {
    auto const whole = static_cast<long double>(tree_.sum_hessian[static_cast<std::size_t>(parent)]);
    return whole == 0 ? 0.5L : static_cast<long double>(tree_.sum_hessian[static_cast<std::size_t>(child)]) / whole;
  }

  Tree const& tree_;
  float weight_;
  MemoryView const& rows_;
  std::int64_t row_;
  std::vector<std::uint32_t> features_;
  std::vector<long double> worth_;
};

/// Values of one row: [n_outputs, n_features + 1] and [n_outputs, n_features + 1, n_features + 1], start not included.
struct Explanation {
  std::vector<long double> phi;
  std::vector<long double> pairs;
  long double scale = 0;  ///< sum of the largest leaf of each tree: what rounding errors are measured against
};

inline Explanation BruteForce(Model const& model, MemoryView const& rows, std::int64_t row) {
  auto const width = static_cast<std::size_t>(model.n_features) + 1;
  auto const n_outputs = static_cast<std::size_t>(model.NumOutputs());
  Explanation result{std::vector<long double>(n_outputs * width), std::vector<long double>(n_outputs * width * width),
                     0};
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    TreeGame const game(model.trees[t], model.TreeWeight(static_cast<std::int64_t>(t)), rows, row);
    auto const& features = game.Features();
    auto* phi = result.phi.data() + static_cast<std::size_t>(model.output_of_tree[t]) * width;
    auto* pairs = result.pairs.data() + static_cast<std::size_t>(model.output_of_tree[t]) * width * width;
    phi[width - 1] += game.Worth(0);
    pairs[width * width - 1] += game.Worth(0);
    for (std::size_t i = 0; i < features.size(); ++i) {
      auto const value = game.Shapley(i);
      phi[features[i]] += value;
      pairs[features[i] * width + features[i]] += value;
      for (std::size_t j = 0; j < features.size(); ++j) {
        if (i == j) continue;
        auto const pair = game.Interaction(i, j);
        pairs[features[i] * width + features[j]] += pair;
        pairs[features[i] * width + features[i]] -= pair;
      }
    }
    long double largest = 0;
    for (std::int32_t node = 0; node < model.trees[t].NumNodes(); ++node) {
      auto const value = static_cast<long double>(model.trees[t].split_value[static_cast<std::size_t>(node)]);
      if (model.trees[t].IsLeaf(node)) largest = std::max(largest, std::abs(value));
    }
    result.scale += largest;
  }
  return result;
}

}  // namespace kauri::testing
