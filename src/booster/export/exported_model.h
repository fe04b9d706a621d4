/// \file A model in the form that writers of other languages need: what a prediction computes, without the library's
/// keys, slots and encodings.
///
/// Vocabulary. A condition is the question of a split; splits that ask the same question share it. A tree is a list of
/// its splits in preorder, and a list of its leaves from left to right. A split knows the number of leaves on its left
/// side. That is sufficient for a walk:
///
///   split = first split of the tree, leaf = first leaf, n = leaves of the tree
///   while n > 1:  left: n = left_leaves[split], split += 1
///                 right: split += left_leaves[split], leaf += left_leaves[split], n -= left_leaves[split]
///
/// Every tree with n leaves has n - 1 splits, so the first split of tree t is its first leaf minus t.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "booster/export/explanation.h"
#include "booster/export/transform.h"
#include "booster/model/ready_model.h"
#include "kauri/model.h"
#include "kauri/tree.h"

namespace kauri::model_export {

/// The question of a split. A missing value goes to the side `missing_right`. A number goes right if it is not below
/// the threshold. A listed category goes to the side `listed_right`, every other category to the other side.
struct Condition {
  std::uint32_t feature = 0;
  bool missing_right = false;
  bool is_categorical = false;
  bool listed_right = true;  ///< of categorical conditions only
  float threshold = 0.0F;
  std::vector<std::int32_t> categories;  ///< ascending

  bool operator<(Condition const& other) const;
};

struct Split {
  std::uint32_t condition;
  std::uint32_t left_leaves;
};

/// A column of the model.
struct Column {
  std::string name;  ///< as the model names it, else f0, f1, ...
  bool is_categorical = false;
  /// A value with a fraction is no category; otherwise its integer part is one, as in XGBoost.
  bool needs_whole = false;
  /// The categories that a row may have; rows with another are refused. Ascending; empty: every value is accepted.
  std::vector<std::int32_t> accepted;
  CategoryNames names;  ///< of its categories, may be empty
};

struct ExportedModel {
  std::string objective;
  std::string booster;
  Transform transform = Transform::kIdentity;
  std::int64_t n_outputs = 1;
  std::int64_t n_values = 1;  ///< values per row; margins are n_outputs
  std::int64_t n_rounds = 0;
  std::vector<Column> columns;               ///< [n_features]
  std::vector<float> start;                  ///< [n_outputs], margins before the first tree
  std::vector<Condition> conditions;         ///< distinct, ascending: numerical ones first, by feature and threshold
  std::vector<Split> splits;                 ///< of all trees
  std::int64_t leaf_width = 1;               ///< floats per leaf: 1, or n_outputs if leaves hold vectors
  std::vector<float> leaves;                 ///< [all leaves, leaf_width], multiplied by the tree's weight
  std::vector<std::uint32_t> tree_leaf;      ///< [n_trees + 1], first leaf of each tree
  std::vector<std::int32_t> output_of_tree;  ///< [n_trees], 0 for vectors
  std::vector<std::string> classes;          ///< names of the classes, may be empty
  std::optional<Explanation> explanation;    ///< for contributions, if the file shall compute them

  std::size_t NumTrees() const { return output_of_tree.size(); }
  std::size_t NumLeaves() const { return tree_leaf.back(); }
  /// Returns the number of leading conditions that compare numbers.
  std::size_t NumNumeric() const;
  bool RefusesCategories() const;
};

/// Returns the names of a column's categories as texts, by number; empty if they have no names.
std::vector<std::string> CategoryTexts(Column const& column);

/// Returns the nodes of a tree in preorder, the order of its splits and leaves here.
std::vector<std::int32_t> Preorder(Tree const& tree);

/// \throws Error(kParameter) for a model that is no sum of constant leaves over its own columns, with the reason.
ExportedModel DescribeModel(ReadyModel const& ready);

}  // namespace kauri::model_export
