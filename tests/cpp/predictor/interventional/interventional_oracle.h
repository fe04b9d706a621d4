/// \file Interventional Shapley values from their definition: all coalitions, each background row, long double.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "predictor/predictor_fixtures.h"

namespace kauri::testing {

/// The game of one tree: known features come from a row, the others from background rows.
class InterventionalGame {
 public:
  InterventionalGame(Model const& model, std::size_t tree, MemoryView const& rows, std::int64_t row,
                     MemoryView const& background)
      : tree_(model.trees[tree]), weight_(model.TreeWeight(static_cast<std::int64_t>(tree))), rows_(rows), row_(row) {
    for (std::int32_t node = 0; node < tree_.NumNodes(); ++node) {
      if (!tree_.IsLeaf(node)) bit_.emplace(tree_.split_feature[node], 0U);
    }
    std::uint32_t next = 1;
    for (auto& [feature, bit] : bit_) {
      bit = next;
      next *= 2;
    }
    worth_.assign(next, 0.0L);
    for (std::uint32_t set = 0; set < next; ++set) {
      for (std::int64_t other = 0; other < background.NumRows(); ++other) worth_[set] += Leaf(set, background, other);
      worth_[set] /= static_cast<long double>(background.NumRows());
    }
  }

  /// Evaluates equation 2 of Mitchell et al. fn(feature, value).
  template <typename Fn>
  void ForEachShapley(Fn&& fn) const {
    for (auto const& [feature, bit] : bit_) {
      long double sum = 0;
      for (std::uint32_t set = 0; set < worth_.size(); ++set) {
        if ((set & bit) == 0) sum += SetWeight(set) * (worth_[set | bit] - worth_[set]);
      }
      fn(feature, sum);
    }
  }
  long double Mean() const { return worth_[0]; }

 private:
  long double Leaf(std::uint32_t known, MemoryView const& background, std::int64_t other) const {
    std::int32_t node = 0;
    while (!tree_.IsLeaf(node)) {
      auto const feature = tree_.split_feature[node];
      auto const is_known = (known & bit_.at(feature)) != 0;
      auto const value = is_known ? rows_.At(row_, feature) : background.At(other, feature);
      auto const& next = NaiveGoesLeft(tree_, node, value) ? tree_.left : tree_.right;
      node = next[node];
    }
    return static_cast<long double>(tree_.split_value[node] * weight_);
  }

  /// Returns |S|! (n - 1 - |S|)! / n!.
  long double SetWeight(std::uint32_t set) const {
    std::size_t size = 0;
    for (; set != 0; set &= set - 1) ++size;
    auto const n = bit_.size();
    auto weight = 1.0L / static_cast<long double>(n);
    for (std::size_t k = 1; k <= size; ++k)
      weight *= static_cast<long double>(k) / static_cast<long double>(n - 1 - size + k);
    return weight;
  }

  Tree const& tree_;
  float weight_;
  MemoryView const& rows_;
  std::int64_t row_;
  std::map<std::uint32_t, std::uint32_t> bit_;  ///< by feature
  std::vector<long double> worth_;              ///< by coalition
};

/// Returns [n_outputs, n_features + 1] for one row; the bias is without the start.
inline std::vector<long double> BruteInterventional(Model const& model, TreeRange trees, MemoryView const& rows,
                                                    std::int64_t row, MemoryView const& background) {
  auto const width = static_cast<std::size_t>(model.n_features) + 1;
  std::vector<long double> phi(static_cast<std::size_t>(model.NumOutputs()) * width, 0.0L);
  for (auto t = static_cast<std::size_t>(trees.begin); t < static_cast<std::size_t>(trees.end); ++t) {
    InterventionalGame const game(model, t, rows, row, background);
    auto* const of_output = phi.data() + static_cast<std::size_t>(model.output_of_tree[t]) * width;
    game.ForEachShapley([&](std::uint32_t feature, long double value) { of_output[feature] += value; });
    of_output[width - 1] += game.Mean();
  }
  return phi;
}

}  // namespace kauri::testing
