/// \file Banzhaf values and Shapley-Taylor indices of order 2 from their definitions, in long double.
#pragma once

#include <vector>

#include "predictor/shap/shap_oracle.h"

namespace kauri::testing {

/// Values of one row, without the start.
struct SemivalueSums {
  std::size_t width;
  std::vector<long double> banzhaf;  ///< [n_outputs, width]
  std::vector<long double> taylor;   ///< [n_outputs, width, width]

  explicit SemivalueSums(Model const& model)
      : width(static_cast<std::size_t>(model.n_features) + 1),
        banzhaf(static_cast<std::size_t>(model.NumOutputs()) * width),
        taylor(banzhaf.size() * width) {}
  void AddBanzhaf(std::size_t output, std::size_t feature, long double value) {
    banzhaf[output * width + feature] += value;
  }
  /// Adds to one cell; a pair has two.
  void AddTaylor(std::size_t output, std::size_t a, std::size_t b, long double value) {
    taylor[(output * width + a) * width + b] += value;
  }
  void AddMean(std::size_t output, long double value) {
    AddBanzhaf(output, width - 1, value);
    AddTaylor(output, width - 1, width - 1, value);
  }
};

/// Sums over all coalitions.
inline SemivalueSums AllCoalitions(Model const& model, MemoryView const& rows, std::int64_t row) {
  SemivalueSums sums(model);
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    TreeGame const game(model.trees[t], model.TreeWeight(static_cast<std::int64_t>(t)), rows, row);
    auto const& features = game.Features();
    auto const output = static_cast<std::size_t>(model.output_of_tree[t]);
    sums.AddMean(output, game.Worth(0));
    for (std::size_t i = 0; i < features.size(); ++i) {
      sums.AddBanzhaf(output, features[i], game.Banzhaf(i));
      sums.AddTaylor(output, features[i], features[i], game.Alone(i));
      for (std::size_t j = 0; j < features.size(); ++j) {
        if (j != i) sums.AddTaylor(output, features[i], features[j], game.TaylorPair(i, j));
      }
    }
  }
  return sums;
}

/// Sums leaf by leaf, for any number of features on a path.
inline SemivalueSums SemivaluesByLeaf(Model const& model, MemoryView const& rows, std::int64_t row) {
  SemivalueSums sums(model);
  ForEachLeafPath(model, rows, row, [&](auto const& path, long double value, std::size_t output) {
    if (value == 0) return;
    auto mean = value;
    for (auto const& feature : path) mean *= feature.zero;
    sums.AddMean(output, mean);
    for (std::size_t i = 0; i < path.size(); ++i) {
      auto banzhaf = value * EffectOf(path[i]);
      auto alone = banzhaf;
      for (std::size_t l = 0; l < path.size(); ++l) {
        if (l == i) continue;
        banzhaf *= (path[l].zero + (path[l].one ? 1.0L : 0.0L)) / 2;
        alone *= path[l].zero;
      }
      sums.AddBanzhaf(output, path[i].feature, banzhaf);
      sums.AddTaylor(output, path[i].feature, path[i].feature, alone);
      for (std::size_t j = 0; j < i; ++j) {
        auto const pair = value * EffectOf(path[i]) * EffectOf(path[j]) * IntegralOfOthers(path, i, j, 1);
        sums.AddTaylor(output, path[i].feature, path[j].feature, pair);
        sums.AddTaylor(output, path[j].feature, path[i].feature, pair);
      }
    }
  });
  return sums;
}

}  // namespace kauri::testing
