/// \file Shapley values and interactions from their definition: all subsets, in long double.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "predictor/predictor_fixtures.h"

namespace kauri::testing {

/// The game of one tree and one row: the worth of a subset of known features.
class TreeGame {
 public:
  TreeGame(Tree const& tree, float weight, MemoryView const& rows, std::int64_t row)
      : tree_(tree), weight_(weight), rows_(rows), row_(row) {
    for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
      if (!tree.IsLeaf(node)) features_.push_back(tree.split_feature[node]);
    }
    std::sort(features_.begin(), features_.end());
    features_.erase(std::unique(features_.begin(), features_.end()), features_.end());
    for (std::uint32_t set = 0; set < (1U << features_.size()); ++set) worth_.push_back(Expect(0, set));
  }

  std::vector<std::uint32_t> const& Features() const { return features_; }
  long double Worth(std::uint32_t set) const { return worth_[set]; }

  /// Returns phi of features_[i] (equation 2 of Mitchell et al.).
  long double Shapley(std::size_t i) const {
    long double sum = 0;
    for (std::uint32_t set = 0; set < worth_.size(); ++set) {
      if ((set >> i) & 1U) continue;
      sum += SubsetWeight(set, features_.size() - 1) * (Worth(set | (1U << i)) - Worth(set));
    }
    return sum;
  }

  /// Returns half of the Shapley interaction index of features_[i] and features_[j] (equation 3).
  long double Interaction(std::size_t i, std::size_t j) const {
    return MeanOfPair(i, j, [&](std::uint32_t set) { return SubsetWeight(set, features_.size() - 2) / 2; });
  }

  /// Returns the mean over the coalitions without features_[i] (Banzhaf 1965).
  long double Banzhaf(std::size_t i) const {
    long double sum = 0;
    for (std::uint32_t set = 0; set < worth_.size(); ++set) {
      if (((set >> i) & 1U) == 0) sum += Worth(set | (1U << i)) - Worth(set);
    }
    return sum / static_cast<long double>(worth_.size() / 2);
  }

  /// Returns half of the Shapley-Taylor index of order 2 (Sundararajan et al. 2020, equation 6 with k = 2).
  long double TaylorPair(std::size_t i, std::size_t j) const {
    auto const n = features_.size();
    // The weight is half of 2 / n / C(n - 1, |S|), and 1 / C(n - 1, |S|) = n |S|! (n - 1 - |S|)! / n!
    return MeanOfPair(i, j, [&](std::uint32_t set) { return SubsetWeight(set, n - 1); });
  }
  long double Alone(std::size_t i) const { return Worth(1U << i) - Worth(0); }

 private:
  template <typename WeightOf>
  long double MeanOfPair(std::size_t i, std::size_t j, WeightOf&& weight_of) const {
    auto const a = 1U << i;
    auto const b = 1U << j;
    long double sum = 0;
    for (std::uint32_t set = 0; set < worth_.size(); ++set) {
      if ((set & (a | b)) != 0) continue;
      sum += weight_of(set) * (Worth(set | a | b) - Worth(set | a) - Worth(set | b) + Worth(set));
    }
    return sum;
  }

  /// Returns |S|! (n - |S|)! / (n + 1)!.
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
    auto const whole = static_cast<long double>(tree_.sum_hessian[parent]);
    return whole == 0 ? 0.5L : static_cast<long double>(tree_.sum_hessian[child]) / whole;
  }

  Tree const& tree_;
  float weight_;
  MemoryView const& rows_;
  std::int64_t row_;
  std::vector<std::uint32_t> features_;
  std::vector<long double> worth_;
};

/// Values of one row: [n_outputs, n_features + 1] and [n_outputs, n_features + 1, n_features + 1], without the start.
struct Explanation {
  std::vector<long double> phi;
  std::vector<long double> pairs;
  long double scale = 0;  ///< sum over trees of the largest leaf, the scale for rounding errors
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
      auto const value = static_cast<long double>(model.trees[t].split_value[node]);
      if (model.trees[t].IsLeaf(node)) largest = std::max(largest, std::abs(value));
    }
    result.scale += largest;
  }
  return result;
}

/// A feature of a leaf's path, and its fractions for one row.
struct PathFeatureOfRow {
  std::uint32_t feature;
  long double zero;
  bool one;
};

inline long double EffectOf(PathFeatureOfRow const& feature) { return (feature.one ? 1.0L : 0.0L) - feature.zero; }

/// Calls fn(path, leaf value, output) for each leaf.
template <typename Fn>
void ForEachLeafPath(Model const& model, MemoryView const& rows, std::int64_t row, Fn&& fn) {
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    auto const& tree = model.trees[t];
    std::vector<std::pair<std::int32_t, std::vector<PathFeatureOfRow>>> nodes{{0, {}}};
    while (!nodes.empty()) {
      auto const [node, path] = std::move(nodes.back());
      nodes.pop_back();
      auto const index = static_cast<std::size_t>(node);
      if (tree.IsLeaf(node)) {
        auto const value = tree.split_value[index] * model.TreeWeight(static_cast<std::int64_t>(t));
        fn(path, static_cast<long double>(value), static_cast<std::size_t>(model.output_of_tree[t]));
        continue;
      }
      auto const feature = tree.split_feature[index];
      auto const goes_left = NaiveGoesLeft(tree, node, rows.At(row, feature));
      for (auto const child : {tree.left[index], tree.right[index]}) {
        auto below = path;
        auto found = std::find_if(below.begin(), below.end(), [&](auto const& f) { return f.feature == feature; });
        if (found == below.end()) found = below.insert(below.end(), {feature, 1.0L, true});
        found->zero *=
            static_cast<long double>(tree.sum_hessian[child]) / static_cast<long double>(tree.sum_hessian[index]);
        found->one = found->one && (child == tree.left[index]) == goes_left;
        nodes.emplace_back(child, std::move(below));
      }
    }
  }
}

/// Returns Int (1 - t)^power times the factors of all features except i and j.
inline long double IntegralOfOthers(std::vector<PathFeatureOfRow> const& path, std::size_t i, std::size_t j,
                                    std::size_t power) {
  std::vector<long double> coefficients{1.0L};
  for (std::size_t l = 0; l < path.size(); ++l) {
    if (l == i || l == j) continue;
    coefficients.push_back(0.0L);
    for (auto k = coefficients.size(); k-- > 0;) {
      coefficients[k] *= path[l].zero;
      if (k > 0 && path[l].one) coefficients[k] += coefficients[k - 1];
    }
  }
  auto const n = coefficients.size() - 1 + power;
  auto weight = 1.0L / static_cast<long double>(n + 1);  // k! (n - k)! / (n + 1)!
  long double sum = 0.0L;
  for (std::size_t k = 0; k < coefficients.size(); ++k) {
    sum += weight * coefficients[k];
    weight *= static_cast<long double>(k + 1) / static_cast<long double>(n - k == 0 ? 1 : n - k);
  }
  return sum;
}

/// Computes the same from Owen's integral of each leaf, for any number of features: polynomials by their coefficients
/// at t^k (1 - t)^(n - k), whose products and integrals have positive terms only.
class LeafGame {
 public:
  LeafGame(Model const& model, Explanation* out) : width_(static_cast<std::size_t>(model.n_features) + 1), out_(out) {}

  void Add(std::vector<PathFeatureOfRow> const& path, long double value, std::size_t output) {
    auto* phi = out_->phi.data() + output * width_;
    auto* pairs = out_->pairs.data() + output * width_ * width_;
    if (value == 0) return;
    auto mean = value;
    for (auto const& i : path) mean *= i.zero;
    phi[width_ - 1] += mean;
    pairs[width_ * width_ - 1] += mean;
    for (std::size_t i = 0; i < path.size(); ++i) {
      auto const effect = value * EffectOf(path[i]);
      auto const alone = effect * IntegralOfOthers(path, i, i, 0);
      phi[path[i].feature] += alone;
      pairs[path[i].feature * (width_ + 1)] += alone;
      for (std::size_t j = 0; j < path.size(); ++j) {
        if (j == i) continue;
        auto const pair = effect * EffectOf(path[j]) * IntegralOfOthers(path, i, j, 0) / 2;
        pairs[path[i].feature * width_ + path[j].feature] += pair;
        pairs[path[i].feature * (width_ + 1)] -= pair;
      }
    }
  }

 private:
  std::size_t width_;
  Explanation* out_;
};

inline Explanation LeafByLeaf(Model const& model, MemoryView const& rows, std::int64_t row) {
  auto const width = static_cast<std::size_t>(model.n_features) + 1;
  auto const n_outputs = static_cast<std::size_t>(model.NumOutputs());
  Explanation result{std::vector<long double>(n_outputs * width), std::vector<long double>(n_outputs * width * width),
                     0};
  LeafGame game(model, &result);
  ForEachLeafPath(model, rows, row,
                  [&](auto const& path, long double value, std::size_t output) { game.Add(path, value, output); });
  return result;
}

}  // namespace kauri::testing
