/// \file Models with vector leaves, and the same models with one tree per output.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "predictor/predictor_fixtures.h"

namespace kauri::testing {

inline Tree WithVectors(Tree tree, std::int32_t n_outputs, Random* random) {
  tree.n_outputs = n_outputs;
  tree.leaf_vector.assign(tree.left.size() * static_cast<std::size_t>(n_outputs), 0.0F);
  for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
    if (!tree.IsLeaf(node)) continue;
    tree.split_value[node] = 0.0F;
    for (std::int32_t k = 0; k < n_outputs; ++k) tree.leaf_vector[node * n_outputs + k] = random->Normal();
  }
  return tree;
}

/// Returns a model with vector leaves; if `mixed`, every third tree keeps scalar leaves.
inline Model VectorModel(std::int64_t n_classes, bool mixed, ForestSpec spec = {}) {
  spec.n_classes = n_classes;
  spec.n_trees = 9;
  spec.dart = true;
  auto model = RandomModel(spec);
  Random random(3);
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    if (mixed && t % 3 == 1) continue;
    model.trees[t] = WithVectors(std::move(model.trees[t]), static_cast<std::int32_t>(n_classes), &random);
    model.output_of_tree[t] = 0;
    model.trees[t].Validate(model.n_features);
  }
  return model;
}

/// Returns one tree per output for each tree with vectors; first_tree (out): the first such tree of each tree, and the
/// end.
inline Model SplitUp(Model const& model, std::vector<std::int64_t>* first_tree) {
  auto split = model;
  split.trees.clear();
  split.output_of_tree.clear();
  split.tree_weights.clear();
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    auto const& tree = model.trees[t];
    first_tree->push_back(static_cast<std::int64_t>(split.trees.size()));
    for (std::int32_t k = 0; k < tree.n_outputs; ++k) {
      auto part = tree;
      part.n_outputs = 1;
      part.leaf_vector.clear();
      for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
        if (tree.IsLeaf(node)) part.split_value[node] = tree.LeafValues(node)[k];
      }
      split.trees.push_back(part);
      split.output_of_tree.push_back(tree.HasVectorLeaves() ? k : model.output_of_tree[t]);
      split.tree_weights.push_back(model.TreeWeight(static_cast<std::int64_t>(t)));
    }
  }
  first_tree->push_back(static_cast<std::int64_t>(split.trees.size()));
  return split;
}

/// Multiplies the leaves of an output.
inline void ScaleLeaves(std::int32_t output, float factor, Model* model) {
  for (std::size_t t = 0; t < model->trees.size(); ++t) {
    auto& tree = model->trees[t];
    if (!tree.HasVectorLeaves() && model->output_of_tree[t] != output) continue;
    auto const own = tree.HasVectorLeaves() ? output : 0;
    for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
      if (tree.IsLeaf(node)) tree.SetLeafValue(node, tree.LeafValues(node)[ToSize(own)] * factor, own);
    }
  }
}

}  // namespace kauri::testing
