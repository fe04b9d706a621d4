/// \file Trees compiled for prediction: the nodes of all trees in one array, small enough to stay in cache.
///
/// Vocabulary. A slot is the number of a feature among the features that the trees use; rows are read as keys of slots,
/// which are integers in the order of the values. The children of a node are neighbours (left, right), and nodes are in
/// breadth-first order. A leaf is its own left child and has a key that no row reaches, so a traversal may take more
/// steps than the path is long.
///
/// A node takes 8 bytes when slot and child fit into 30 bits (28 features: trees of up to 2^25 nodes), else 16 bytes.
/// Data that only leaves or contributions need lies in separate arrays over the nodes.
///
/// A tree of the model with vector leaves becomes a group: one tree per output, neighbours, with the same nodes. So
/// algorithms on a forest handle only trees of one output, and an algorithm that needs only the leaf's position
/// traverses the first tree of a group. If all trees are such groups, VectorLeaves holds the values of each leaf
/// together.
///
/// ForestTask has the arguments of a predictor's call (PredictTask), together with the compiled forest of the model.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "kauri/host_device.h"
#include "kauri/model.h"
#include "kauri/predictor.h"
#include "kauri/span.h"
#include "kauri/tree.h"

namespace kauri {

// Conditions of splits as predictors read them: values as integers, and sets of categories.
//
// Feature values as integers of the same order. One integer comparison decides a split, for missing values too.
//
// key(x) of a float is its bit pattern with the magnitude bits of negative numbers flipped: x < y <=> key(x) < key(y),
// and -0 has the key of +0. A missing value has the largest integer as key, which no number has. At a split with
// threshold t a row goes right iff key(x) + d >= key(t) + d, where d = 1 if the default is left and 0 otherwise; the
// sum on the right is stored. The missing key plus one wraps to the smallest integer, so a missing value goes left; no
// other key wraps. Integers also do not depend on the host's treatment of denormal numbers.
//
// CategorySets are the categories that go right at the categorical splits of a forest.

/// Key of a missing value, above the key of every number.
constexpr std::int32_t kMissingKey = std::numeric_limits<std::int32_t>::max();

KAURI_HD std::int32_t KeyOf(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return kMissingKey;
  if (bits == 0x80000000U) return 0;
  return static_cast<std::int32_t>(bits ^ (static_cast<std::uint32_t>(static_cast<std::int32_t>(bits) >> 31) >> 1U));
}

/// Returns the value of a key; NaN for kMissingKey.
KAURI_HD float ValueOfKey(std::int32_t key) {
  auto const bits = static_cast<std::uint32_t>(key) ^ (static_cast<std::uint32_t>(key >> 31) >> 1U);
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

struct CategorySet {
  std::size_t begin;
  std::uint32_t size;  ///< words of a bitset (32 categories each), or categories of a list
  bool is_bitset;
};

/// A category is the integer part of a value in [0, 2^24); every other value belongs to no set (XGBoost's rule).
/// Not owning, so that it can also describe sets in device memory.
struct CategorySetsView {
  CategorySet const* sets;
  std::uint32_t const* data;

  KAURI_HD bool Contains(std::int32_t set, float value) const {
    if (!(value >= 0.0F) || value >= static_cast<float>(kCategoryLimit)) return false;
    auto const category = static_cast<std::uint32_t>(value);
    auto const entry = sets[set];
    auto const* words = data + entry.begin;
    if (entry.is_bitset) return category / 32 < entry.size && ((words[category / 32] >> (category % 32)) & 1U) != 0;
    std::uint32_t low = 0;
    for (auto high = entry.size; low < high;) {
      auto const middle = (low + high) / 2;
      words[middle] < category ? low = middle + 1 : high = middle;
    }
    return low < entry.size && words[low] == category;
  }
};

class CategorySets {
 public:
  /// Adds a set and returns its number. A dense set is stored as a bitset, a sparse one as a sorted list. categories:
  /// ascending, not negative.
  std::int32_t Add(Span<std::int32_t const> categories);
  bool Contains(std::int32_t set, float value) const {
    return CategorySetsView{sets_.data(), data_.data()}.Contains(set, value);
  }
  /// Returns the categories of a set, ascending.
  std::vector<std::int32_t> List(std::int32_t set) const;
  std::vector<CategorySet> const& Sets() const { return sets_; }
  std::vector<std::uint32_t> const& Data() const { return data_; }

 private:
  std::vector<CategorySet> sets_;
  std::vector<std::uint32_t> data_;
};

/// A node as traversals see it, independent of its storage. Children are counted from the first node of the tree.
struct SplitNode {
  std::int32_t key;  ///< threshold key plus default_left; the number of the set for a categorical split
  std::uint32_t slot;
  std::uint32_t left;
  bool default_left;
  bool is_categorical;
};

/// No row goes right at a node with this key and default_left: the largest key plus one is smaller.
constexpr std::int32_t kNeverRight = std::numeric_limits<std::int32_t>::max();

/// Aligned so that a node is one load. link = left << (slot_bits + 2) | slot << 2 | is_categorical << 1 | default_left
struct alignas(8) NarrowNode {
  std::int32_t key;
  std::uint32_t link;
};

struct alignas(16) WideNode {
  std::int32_t key;
  std::uint32_t slot;
  std::uint32_t left;
  std::uint32_t flags;  ///< is_categorical << 1 | default_left
};

/// Reads nodes of one storage. A plain struct, so that a copy of it stays in registers.
struct NarrowReader {
  NarrowNode const* nodes;
  std::uint32_t slot_mask;
  unsigned left_shift;
  KAURI_HD NarrowReader From(std::int64_t index) const { return {nodes + index, slot_mask, left_shift}; }
  KAURI_HD SplitNode Read(std::int64_t index) const {
    auto const node = nodes[index];
    return {node.key, (node.link >> 2U) & slot_mask, node.link >> left_shift, (node.link & 1U) != 0,
            (node.link & 2U) != 0};
  }
};
struct WideReader {
  WideNode const* nodes;
  KAURI_HD WideReader From(std::int64_t index) const { return {nodes + index}; }
  KAURI_HD SplitNode Read(std::int64_t index) const {
    auto const& node = nodes[index];
    return {node.key, node.slot, node.left, (node.flags & 1U) != 0, (node.flags & 2U) != 0};
  }
};

KAURI_HD bool GoesRightAtThreshold(SplitNode const& node, std::int32_t key) {
  auto const shifted = static_cast<std::uint32_t>(key) + static_cast<std::uint32_t>(node.default_left);
  return static_cast<std::int32_t>(shifted) >= node.key;
}

template <typename Sets>
KAURI_HD bool GoesRight(SplitNode const& node, std::int32_t key, Sets const& categories) {
  if (!node.is_categorical) return GoesRightAtThreshold(node, key);
  if (key == kMissingKey) return !node.default_left;
  return categories.Contains(node.key, ValueOfKey(key));
}

/// The length of leaf vectors is padded to a multiple of this.
constexpr std::int64_t kVectorUnit = 8;

/// The vectors of leaves, if all trees of the model have vector leaves.
struct VectorLeaves {
  std::int64_t stride = 0;    ///< floats per vector: the outputs, padded with zeros to a multiple of kVectorUnit
  std::vector<float> values;  ///< [nodes of the first trees of all groups, stride], multiplied by the tree's weight

  bool IsEmpty() const { return values.empty(); }
};

enum class NodeLayout { kSmallest, kWide };

/// Weights of the branches of a split whose feature is unknown.
enum class CoverSource { kHessian, kCount };

/// Immutable once compiled.
struct Forest {
  TreeRange trees;  ///< compiled range of the model's trees
  std::int64_t n_features = 0;
  std::int64_t n_outputs = 1;
  bool has_categorical = false;
  bool is_wide = false;

  std::vector<std::uint32_t> feature_of_slot;  ///< ascending
  std::vector<std::int32_t> slot_of_feature;   ///< [largest used feature + 1], -1 where unused

  std::vector<std::int64_t> model_tree;      ///< [n_trees], counted from trees.begin; empty: no tree has vector leaves
  std::vector<std::int64_t> tree_begin;      ///< [n_trees + 1], index into the arrays over nodes
  std::vector<std::int32_t> tree_depth;      ///< [n_trees]
  std::vector<std::int32_t> output_of_tree;  ///< [n_trees]
  std::vector<NarrowNode> narrow;            ///< [n_nodes] unless is_wide
  std::vector<WideNode> wide;                ///< [n_nodes] if is_wide
  unsigned slot_bits = 0;
  std::vector<float> leaf_value;  ///< [n_nodes], multiplied by the tree's weight; 0 for a split
  VectorLeaves vectors;
  std::vector<std::int32_t> node_id;  ///< [n_nodes], as the model numbers them
  std::vector<float> cover;           ///< [n_nodes], from the CoverSource
  std::string no_cover;               ///< reason why contributions cannot be computed; empty: they can
  CategorySets categories;

  std::int64_t NumTrees() const { return static_cast<std::int64_t>(tree_depth.size()); }
  /// \throws Error(kParameter), which names the remedy, if the branches have no weights for contributions.
  void RequireCover() const {
    if (!no_cover.empty()) Fail(ErrorKind::kParameter, no_cover);
  }
  /// Returns the largest absolute value of a tree's leaves, which explanations need as a bound of their sums. \throws
  /// Error(kModel) for leaves that are infinite times the weight of the tree.
  float LargestLeaf(std::int64_t tree) const;
  /// Converts a range of the model's trees to numbers within the forest. \throws Error(kInternal) unless all of them
  /// are compiled.
  TreeRange OwnTrees(TreeRange of_model) const;
  /// Returns the model's tree, counted from trees.begin, that `tree` of the forest comes from.
  std::int64_t ModelTree(std::int64_t tree) const { return model_tree.empty() ? tree : model_tree[tree]; }
  /// Returns the number of the model's trees in `own`.
  std::int64_t LeafWidth(TreeRange own) const {
    return own.begin == own.end ? 0 : ModelTree(own.end - 1) - ModelTree(own.begin) + 1;
  }
  /// Returns the end of the group that begins with `tree`.
  std::int64_t GroupEnd(std::int64_t tree) const;
  /// Returns the first tree of each group of `own`: one for each tree of the model.
  std::vector<std::int64_t> GroupsOf(TreeRange own) const;
  /// Returns the number of trees that one traversal covers: a whole group if there are `vectors`, else one tree.
  std::int64_t TreesPerWalk() const { return vectors.IsEmpty() ? 1 : n_outputs; }
  /// Returns the vectors of the group that begins with `tree`, by node.
  float const* VectorsOf(std::int64_t tree) const {
    return vectors.values.data() + tree_begin[tree] / n_outputs * vectors.stride;
  }
  std::int64_t NumSlots() const { return static_cast<std::int64_t>(feature_of_slot.size()); }
  bool IsLeaf(std::int64_t tree, std::uint32_t node) const { return Node(tree, node).left == node; }
  NarrowReader Narrow() const { return {narrow.data(), (1U << slot_bits) - 1U, slot_bits + 2U}; }
  WideReader Wide() const { return {wide.data()}; }
  SplitNode Node(std::int64_t tree, std::uint32_t node) const {
    auto const index = tree_begin[tree] + node;
    return is_wide ? Wide().Read(index) : Narrow().Read(index);
  }
};

enum class LinearUse { kRefuse, kConstants };

/// Copies the data that predictions need; time and memory (about 20 bytes per node) are linear in the number of nodes.
/// Linear leaves are compiled to their constants if `linear` is kConstants. \throws Error(kParameter) for linear leaves
/// otherwise.
Forest CompileForest(Context const& ctx, Model const& model, TreeRange trees, NodeLayout layout = NodeLayout::kSmallest,
                     CoverSource cover = CoverSource::kHessian, LinearUse linear = LinearUse::kRefuse);

/// Nothing is owned.
struct ForestTask {
  Forest const& forest;
  DataView const& rows;
  TreeRange trees;  ///< numbered within the forest; whole groups
  MarginStart start;

  /// Returns the start of the sum of a row and output.
  float StartOf(std::int64_t row, std::int64_t output) const { return start.Of(row, output, forest.n_outputs); }
};

}  // namespace kauri
