/// \file Models used in the tests of every kind of explanation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "predictor/predictor_fixtures.h"

namespace kauri::testing {

/// Returns 'a and b' with even covers: f({}) = 1/4, f({a}) = f({b}) = 1/2, f({a, b}) = 1, for the row (1, 1).
inline Model ConjunctionModel() {
  Model model;
  model.n_features = 2;
  model.trees.emplace_back();
  auto& tree = model.trees[0];
  tree.ExpandNode(0, {0, 0.5F, false, 0.0F});
  tree.ExpandNode(2, {1, 0.5F, false, 0.0F});
  for (auto const& [node, cover] : {std::pair{0, 4.0F}, {1, 2.0F}, {2, 2.0F}, {3, 1.0F}, {4, 1.0F}}) {
    tree.SetNodeStatistics(node, 0.0F, cover);
  }
  tree.SetLeafValue(1, 0.0F);
  tree.SetLeafValue(3, 0.0F);
  tree.SetLeafValue(4, 1.0F);
  model.output_of_tree = {0};
  return model;
}

/// Calls expect(model, rows) for models small enough to enumerate all subsets of their features.
template <typename Expect>
void ForEachSmallModel(Expect&& expect) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    ForestSpec spec;
    spec.seed = seed;
    spec.n_trees = 4;
    spec.depth = static_cast<std::int32_t>(seed) + 1;
    spec.n_features = 3 + static_cast<std::uint32_t>(seed);
    expect(RandomModel(spec), RandomRows(12, spec.n_features, seed + 100));
  }
}

/// Returns deep trees on two features, where nearly every split repeats one.
inline Model RepeatingModel(std::int32_t depth, double categorical = 0.0) {
  ForestSpec spec;
  spec.n_features = 2;
  spec.depth = depth;
  spec.n_trees = 3;
  spec.categorical = categorical;
  return RandomModel(spec);
}

inline Model CategoricalDartModel() {
  ForestSpec spec;
  spec.categorical = 0.5;
  spec.dart = true;
  spec.n_classes = 3;
  spec.n_trees = 7;
  return RandomModel(spec);
}

/// Returns a specification of depth 1 + seed; the seed also selects categories, classes or weights of trees.
inline ForestSpec VariedSpec(std::uint64_t seed, std::uint32_t n_features) {
  ForestSpec spec;
  spec.seed = seed;
  spec.depth = 1 + static_cast<std::int32_t>(seed);
  spec.n_features = n_features;
  spec.categorical = seed % 3 == 0 ? 0.5 : 0.0;
  spec.n_classes = seed == 4 ? 3 : 0;
  spec.dart = seed == 5;
  return spec;
}

/// Returns a model with covers that training never produces.
inline Model ModelOfBadCovers() {
  auto model = RandomModel({});
  std::vector<float> const bad{kNaN, kInf, -1.0F, 1e30F, 0.0F, -kInf};
  std::size_t next = 0;
  for (auto& tree : model.trees) {
    for (auto& cover : tree.sum_hessian) cover = bad[next++ % bad.size()];
  }
  return model;
}

}  // namespace kauri::testing
