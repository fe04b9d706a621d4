/// \file Random trees, edge-case rows and a naive traversal for tests of predictors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "kauri/data_matrix.h"
#include "kauri/model.h"
#include "kauri/predictor.h"
#include "support/random_matrix.h"

namespace kauri::testing {

inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kInf = std::numeric_limits<float>::infinity();

inline Context Threads(int threads) {
  Context ctx;
  ctx.threads = threads;
  return ctx;
}

/// Rows in memory. `zero_copy` exposes the rows themselves; `by_feature` enables CopyFeatures.
class MemoryView : public DataView {
 public:
  MemoryView(std::vector<float> values, std::int64_t n_cols) : values_(std::move(values)), n_cols_(n_cols) {}
  std::int64_t NumRows() const override {
    return n_cols_ == 0 ? 0 : static_cast<std::int64_t>(values_.size()) / n_cols_;
  }
  std::int64_t NumCols() const override { return n_cols_; }
  float At(std::int64_t row, std::int64_t col) const { return col < n_cols_ ? values_[row * n_cols_ + col] : kNaN; }
  void CopyRows(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const override {
    for (auto row = begin; row < end; ++row) {
      for (std::int64_t col = 0; col < n_cols; ++col) *tile++ = At(row, col);
    }
  }
  bool CopyFeatures(std::int64_t begin, std::int64_t end, Span<std::int32_t const> slot_of_feature,
                    std::int64_t n_slots, float* tile) const override {
    if (!by_feature) return false;
    std::fill(tile, tile + (end - begin) * n_slots, kNaN);
    for (auto row = begin; row < end; ++row, tile += n_slots) {
      for (std::size_t feature = 0; feature < slot_of_feature.size(); ++feature) {
        if (slot_of_feature[feature] >= 0) tile[slot_of_feature[feature]] = At(row, static_cast<std::int64_t>(feature));
      }
    }
    return true;
  }
  float const* DenseRows() const override { return zero_copy ? values_.data() : nullptr; }

  bool zero_copy = false;
  bool by_feature = false;

 private:
  std::vector<float> values_;
  std::int64_t n_cols_;
};

struct ForestSpec {
  std::int64_t n_trees = 5;
  std::int32_t depth = 5;
  std::uint32_t n_features = 6;
  std::int64_t n_classes = 0;
  double early_leaf = 0.2;   ///< probability of a leaf above the last level
  double categorical = 0.0;  ///< probability of a categorical split
  bool special_thresholds = true;
  bool dart = false;
  std::uint64_t seed = 1;
};

/// Returns edge cases of comparisons.
inline std::vector<float> SpecialValues() {
  constexpr auto kMax = std::numeric_limits<float>::max();
  constexpr auto kDenormal = std::numeric_limits<float>::denorm_min();
  std::vector<float> values{0.0F, -0.0F, kDenormal, -kDenormal, kMax, -kMax, 1.0F, -1.0F, 0.5F, 3.0F};
  for (auto value : {0.5F, -1.0F, 3.0F, 1.0F}) {
    values.push_back(std::nextafter(value, kInf));
    values.push_back(std::nextafter(value, -kInf));
  }
  return values;
}

inline void MakeCategorical(std::int32_t node, Random* random, Tree* tree) {
  tree->category_begin.resize(tree->left.size(), 0);
  tree->category_count.resize(tree->left.size(), 0);
  tree->is_categorical[node] = 1;
  tree->category_begin[node] = static_cast<std::int64_t>(tree->categories.size());
  std::int64_t count = 0;
  auto const far = random->Below(3) == 0;  // a category too large for a bitset to be efficient
  for (std::int32_t category = 0; category < 70; ++category) {
    if (random->Below(2) == 0) continue;
    if (far && category > 4) break;
    tree->categories.push_back(category);
    ++count;
  }
  if (far) {
    tree->categories.push_back(1000000);
    ++count;
  }
  tree->category_count[node] = count;
}

/// Grows a tree breadth first; covers are split at random, so that z is anything in (0, 1).
inline Tree RandomTree(ForestSpec const& spec, Random* random) {
  Tree tree;
  tree.SetNodeStatistics(0, 0.0F, 100.0F);
  auto const special = SpecialValues();
  std::vector<std::int32_t> depth{0};
  for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
    auto const level = depth[node];
    tree.SetLeafValue(node, random->Normal());
    if (level == spec.depth || (level > 0 && random->Uniform() < spec.early_leaf)) continue;
    auto const threshold = spec.special_thresholds && random->Below(2) == 0
                               ? special[random->Below(static_cast<std::uint32_t>(special.size()))]
                               : random->Normal();
    tree.ExpandNode(node, {random->Below(spec.n_features), threshold, random->Below(2) == 0, 0.0F});
    auto const cover = tree.sum_hessian[node];
    auto const left_cover = cover * static_cast<float>(0.05 + 0.9 * random->Uniform());
    tree.SetNodeStatistics(tree.left[node], 0.0F, left_cover);
    tree.SetNodeStatistics(tree.right[node], 0.0F, cover - left_cover);
    depth.insert(depth.end(), 2, level + 1);
    if (random->Uniform() < spec.categorical) MakeCategorical(node, random, &tree);
  }
  if (!tree.category_begin.empty()) {
    tree.category_begin.resize(tree.left.size(), 0);
    tree.category_count.resize(tree.left.size(), 0);
  }
  return tree;
}

inline Model RandomModel(ForestSpec const& spec) {
  Random random(spec.seed);
  Model model;
  model.n_features = spec.n_features;
  model.n_classes = spec.n_classes;
  for (std::int64_t t = 0; t < spec.n_trees; ++t) {
    model.trees.push_back(RandomTree(spec, &random));
    model.trees.back().Validate(model.n_features);
    model.output_of_tree.push_back(static_cast<std::int32_t>(t % model.NumOutputs()));
    if (spec.dart) model.tree_weights.push_back(0.25F + static_cast<float>(random.Uniform()));
  }
  return model;
}

/// Returns a tree whose right child always splits again, `depth` times in total, on features 0 .. n_features - 1 in
/// turn; it has the share `ratio` of its parent's cover.
inline Model ChainModel(std::int32_t depth, std::int32_t n_features, float ratio) {
  Model model;
  model.n_features = n_features;
  model.output_of_tree = {0};
  model.trees.emplace_back();
  auto& tree = model.trees[0];
  tree.SetNodeStatistics(0, 0.0F, 1000.0F);
  std::int32_t node = 0;
  for (std::int32_t level = 0; level < depth; ++level) {
    auto const cover = tree.sum_hessian[node];
    auto const threshold = static_cast<float>(level / n_features) - 1.0F;
    tree.ExpandNode(node, {static_cast<std::uint32_t>(level % n_features), threshold, level % 2 == 0, 0.0F});
    auto const left = tree.left[node];
    tree.SetNodeStatistics(left, 0.0F, cover * (1.0F - ratio));
    tree.SetNodeStatistics(left + 1, 0.0F, cover * ratio);
    tree.SetLeafValue(left, static_cast<float>(level % 7) - 3.0F);
    node = left + 1;
  }
  tree.SetLeafValue(node, 7.0F);
  return model;
}

/// Returns normal deviates, special values, categories and missing values.
inline MemoryView RandomRows(std::int64_t n_rows, std::int64_t n_cols, std::uint64_t seed) {
  Random random(seed);
  auto special = SpecialValues();
  special.insert(special.end(), {kInf, -kInf, 2.5F, -0.5F, 33.0F, 64.9F, 70.0F, 1000000.0F, 16777216.0F, 1e30F});
  std::vector<float> values(n_rows * n_cols);
  for (auto& value : values) {
    auto const kind = random.Below(5);
    value = kind == 0 ? kNaN : random.Normal();
    if (kind == 1) value = special[random.Below(static_cast<std::uint32_t>(special.size()))];
    if (kind == 2) value = static_cast<float>(random.Below(75));
  }
  return {std::move(values), n_cols};
}

/// Applies the definition in tree.h.
inline bool NaiveGoesLeft(Tree const& tree, std::int32_t node, float value) {
  auto const index = static_cast<std::size_t>(node);
  if (std::isnan(value)) return tree.default_left[index] != 0;
  if (tree.is_categorical[index] == 0) return value < tree.split_value[index];
  for (auto category : tree.CategoriesOf(node)) {
    if (value >= 0.0F && value < 16777216.0F && std::floor(value) == static_cast<float>(category)) return false;
  }
  return true;
}

inline std::int32_t NaiveLeaf(Tree const& tree, MemoryView const& rows, std::int64_t row) {
  std::int32_t node = 0;
  while (!tree.IsLeaf(node)) {
    auto const value = rows.At(row, tree.split_feature[node]);
    auto const& next = NaiveGoesLeft(tree, node, value) ? tree.left : tree.right;
    node = next[node];
  }
  return node;
}

/// Returns margins. out: [n_rows, n_outputs]; start: [n_rows, n_outputs].
inline std::vector<float> NaiveMargins(Model const& model, MemoryView const& rows, TreeRange trees,
                                       std::vector<float> start) {
  for (std::int64_t row = 0; row < rows.NumRows(); ++row) {
    for (auto t = trees.begin; t < trees.end; ++t) {
      auto const& tree = model.trees[t];
      auto const leaf = tree.split_value[NaiveLeaf(tree, rows, row)] * model.TreeWeight(t);
      start[row * model.NumOutputs() + model.output_of_tree[t]] += leaf;
    }
  }
  return start;
}

/// Returns the start of every row: [n_rows, n_outputs].
inline std::vector<float> RepeatStart(std::vector<float> const& of_output, std::int64_t n_rows) {
  std::vector<float> start;
  for (std::int64_t row = 0; row < n_rows; ++row) start.insert(start.end(), of_output.begin(), of_output.end());
  return start;
}

}  // namespace kauri::testing
