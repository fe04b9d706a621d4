/// \file Interventional values and interactions from their definitions: all coalitions, each background row, long
/// double.
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
    ForEach([&](std::size_t size) { return SetWeight(size, bit_.size()); }, fn);
  }
  /// Calls fn(feature, mean effect over all coalitions).
  template <typename Fn>
  void ForEachBanzhaf(Fn&& fn) const {
    ForEach([&](std::size_t) { return 2.0L / static_cast<long double>(worth_.size()); }, fn);
  }
  /// Calls fn(feature, effect of the feature alone).
  template <typename Fn>
  void ForEachAlone(Fn&& fn) const {
    ForEach([](std::size_t size) { return size == 0 ? 1.0L : 0.0L; }, fn);
  }
  /// Calls fn(first, second, half of the index) for each pair, once. Of Shapley: Grabisch and Roubens 1999.
  template <typename Fn>
  void ForEachShapleyPair(Fn&& fn) const {
    ForEachPair([&](std::size_t size) { return SetWeight(size, bit_.size() - 1); }, fn);
  }
  template <typename Fn>
  void ForEachBanzhafPair(Fn&& fn) const {
    ForEachPair([&](std::size_t) { return 4.0L / static_cast<long double>(worth_.size()); }, fn);
  }
  /// Calls fn with the indices of Sundararajan, Dhamdhere and Agarwal (2020), 2 / n / C(n - 1, size).
  template <typename Fn>
  void ForEachTaylorPair(Fn&& fn) const {
    ForEachPair([&](std::size_t size) { return 2.0L * SetWeight(size, bit_.size()); }, fn);
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

  static std::size_t SizeOf(std::uint32_t set) {
    std::size_t size = 0;
    for (; set != 0; set &= set - 1) ++size;
    return size;
  }
  /// Returns |S|! (n - 1 - |S|)! / n!.
  static long double SetWeight(std::size_t size, std::size_t n) {
    auto weight = 1.0L / static_cast<long double>(n);
    for (std::size_t k = 1; k <= size; ++k)
      weight *= static_cast<long double>(k) / static_cast<long double>(n - 1 - size + k);
    return weight;
  }
  /// Calls fn(feature, sum over the coalitions S without it of weight(|S|) times its effect).
  template <typename Weight, typename Fn>
  void ForEach(Weight&& weight, Fn&& fn) const {
    for (auto const& [feature, bit] : bit_) {
      long double sum = 0;
      for (std::uint32_t set = 0; set < worth_.size(); ++set) {
        if ((set & bit) == 0) sum += weight(SizeOf(set)) * (worth_[set | bit] - worth_[set]);
      }
      fn(feature, sum);
    }
  }
  template <typename Weight, typename Fn>
  void ForEachPair(Weight&& weight, Fn&& fn) const {
    for (auto const& [first, a] : bit_) {
      for (auto const& [second, b] : bit_) {
        if (second <= first) continue;
        long double sum = 0;
        for (std::uint32_t set = 0; set < worth_.size(); ++set) {
          if ((set & (a | b)) != 0) continue;
          sum += weight(SizeOf(set)) * (worth_[set | a | b] - worth_[set | a] - worth_[set | b] + worth_[set]);
        }
        fn(first, second, sum / 2);
      }
    }
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

/// Returns the values of any exact kind for one row, without the start: [n_outputs, n_features + 1], squared for pairs.
inline std::vector<long double> BruteAgainst(Model const& model, PredictKind kind, MemoryView const& rows,
                                             std::int64_t row, MemoryView const& background) {
  auto const width = static_cast<std::size_t>(model.n_features) + 1;
  auto const of_pairs = IsOfPairs(kind);
  auto const block = of_pairs ? width * width : width;
  std::vector<long double> all(static_cast<std::size_t>(model.NumOutputs()) * block, 0.0L);
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    InterventionalGame const game(model, t, rows, row, background);
    auto* const values = all.data() + static_cast<std::size_t>(model.output_of_tree[t]) * block;
    auto const is_taylor = kind == PredictKind::kTaylorInteraction;
    auto const feature = [&](std::uint32_t f, long double value) { values[of_pairs ? f * (width + 1) : f] += value; };
    auto const pair = [&](std::uint32_t a, std::uint32_t b, long double value) {
      values[a * width + b] += value;
      values[b * width + a] += value;
      if (is_taylor) return;
      values[a * (width + 1)] -= value;
      values[b * (width + 1)] -= value;
    };
    values[block - 1] += game.Mean();
    switch (kind) {
      case PredictKind::kTaylorInteraction:
        game.ForEachAlone(feature);
        game.ForEachTaylorPair(pair);
        break;
      case PredictKind::kBanzhaf:
      case PredictKind::kBanzhafInteraction:
        game.ForEachBanzhaf(feature);
        if (of_pairs) game.ForEachBanzhafPair(pair);
        break;
      default:
        game.ForEachShapley(feature);
        if (of_pairs) game.ForEachShapleyPair(pair);
    }
  }
  return all;
}

}  // namespace kauri::testing
