#include "booster/model_io/vector_leaves.h"

#include <algorithm>

namespace kauri::model_io {
namespace {

std::size_t Index(std::int32_t node) { return static_cast<std::size_t>(node); }

void CopyRow(std::vector<float> const& from, std::size_t row, std::size_t node, Tree* tree) {
  auto const width = Index(tree->n_outputs);
  auto const begin = from.begin() + static_cast<std::ptrdiff_t>(row * width);
  std::copy(begin, begin + tree->n_outputs, tree->leaf_vector.begin() + static_cast<std::ptrdiff_t>(node * width));
}

}  // namespace

LeafRows TakeLeafRows(ObjectReader const& reader, Tree* tree) {
  constexpr char const* kKey = "leaf_weights";
  LeafRows rows;
  if (!reader.Has(kKey)) return rows;
  rows.weights = reader.TakeFloats(kKey);
  if (rows.weights.empty() || rows.weights.size() % Index(tree->n_outputs) != 0) {
    reader.FailAt(kKey, "has ", rows.weights.size(), " elements; expected a row of ", tree->n_outputs, " per leaf");
  }
  rows.row_of_node = tree->right;
  for (std::size_t node = 0; node < tree->left.size(); ++node) {
    if (tree->left[node] == kNoNode) tree->right[node] = kNoNode;
  }
  return rows;
}

void FillLeafVectors(ObjectReader const& reader, LeafRows const& rows, std::vector<std::int32_t> const& order,
                     Tree* tree) {
  auto const n_nodes = tree->left.size();
  auto const n_outputs = Index(tree->n_outputs);
  auto const n_rows = rows.weights.size() / n_outputs;
  auto const in_base_weights = rows.weights.empty();
  if (!in_base_weights && n_rows < Index(tree->NumLeaves())) {
    reader.FailAt("leaf_weights", "has ", n_rows, " rows for ", tree->NumLeaves(), " leaves");
  }
  if (in_base_weights && tree->base_weight.size() != n_nodes * n_outputs) {
    reader.FailAt("base_weights", "has ", tree->base_weight.size(), " elements; expected ", n_nodes, " times ",
                  n_outputs, ", and there are no 'leaf_weights'");
  }
  std::vector<bool> taken(n_rows, false);
  tree->leaf_vector.assign(n_nodes * n_outputs, 0.0F);
  for (std::size_t node = 0; node < n_nodes; ++node) {
    if (tree->left[node] != kNoNode) continue;
    tree->split_value[node] = 0.0F;
    if (in_base_weights) {
      CopyRow(tree->base_weight, node, node, tree);
      continue;
    }
    auto const row = rows.row_of_node[Index(order[node])];
    if (row < 0 || Index(row) >= n_rows || taken[Index(row)]) {
      reader.FailAt("right_children", "holds ", row, " for leaf ", order[node],
                    "; expected a row of 'leaf_weights', 0 to ", n_rows - 1, ", of its own");
    }
    taken[Index(row)] = true;
    CopyRow(rows.weights, Index(row), node, tree);
  }
}

std::vector<float> NodeVectorsOf(Tree const& tree) {
  auto vectors = tree.base_weight.size() == tree.leaf_vector.size() ? tree.base_weight : tree.leaf_vector;
  for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
    if (!tree.IsLeaf(node)) continue;
    auto const values = tree.LeafValues(node);
    std::copy(values.begin(), values.end(), vectors.begin() + static_cast<std::ptrdiff_t>(Index(node) * values.size()));
  }
  return vectors;
}

std::vector<float> LeafWeightsOf(Tree const& tree) {
  std::vector<float> weights;
  weights.reserve(Index(tree.NumLeaves()) * Index(tree.n_outputs));
  for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
    if (!tree.IsLeaf(node)) continue;
    auto const values = tree.LeafValues(node);
    weights.insert(weights.end(), values.begin(), values.end());
  }
  return weights;
}

std::vector<std::int32_t> RightOrLeafRow(Tree const& tree) {
  auto right = tree.right;
  std::int32_t n_leaves = 0;
  for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
    if (tree.IsLeaf(node)) right[Index(node)] = n_leaves++;
  }
  return right;
}

}  // namespace kauri::model_io
