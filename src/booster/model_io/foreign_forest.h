/// \file Forests that other libraries trained, as arrays over nodes, and their conversion to the document of a model
/// file, which is read and checked like any other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "booster/model_io/document.h"
#include "kauri/categories.h"
#include "kauri/tree.h"

namespace kauri::model_io {

/// A tree as the arrays of a model file. A leaf has no children. A split with categories sends those to its right.
struct ForeignTree {
  explicit ForeignTree(std::size_t n_nodes)
      : left(n_nodes, kNoNode),
        right(n_nodes, kNoNode),
        feature(n_nodes, 0),
        threshold(n_nodes, 0.0F),
        value(n_nodes, 0.0F),
        cover(n_nodes, 0.0F),
        default_left(n_nodes, 0),
        by_categories(n_nodes, 0) {}

  /// Makes the node split on the categories from `begin` on.
  void EndSet(std::size_t node, std::int64_t begin);

  std::vector<std::int32_t> left, right, feature;
  std::vector<float> threshold, value, cover;
  std::vector<std::uint8_t> default_left, by_categories;
  std::vector<std::int32_t> categories, set_nodes;
  std::vector<std::int64_t> set_begins, set_sizes;
  std::vector<float> vectors;  ///< [n_leaves, n_outputs] in the order of the nodes; empty if leaves have one value
};

/// The facts of a model that its trees need.
struct ForeignHeader {
  std::int64_t n_features = 0;
  std::string objective;  ///< by our name
  std::vector<float> base_score;
  std::int64_t n_classes = 0;              ///< 0 unless the objective has classes
  std::vector<std::string> feature_names;  ///< [n_features], or empty
  CategoryNameTable names;                 ///< [n_features], or empty
  std::int64_t trees_in_round = 1;
};

/// Returns t such that a 32-bit number is less than t if and only if it is at most `at_most`. A number beyond the range
/// of 32 bits is taken as its end.
float AboveFloats(double at_most);

/// Returns t such that the 32-bit number nearest to a 64-bit x is less than t if x is at most `at_most`: the 32-bit
/// number above the one nearest to the threshold. The rows of a library that compares 64-bit numbers are rounded in the
/// same way here. NaN remains NaN, which the reader of model files refuses.
float AboveDoubles(double at_most);

/// Writes the document of a model, tree by tree.
class ForeignWriter {
 public:
  /// header: must outlive the writer.
  explicit ForeignWriter(ForeignHeader const& header);

  /// Declares that a column has categories; columns that a split or the header tells of need not be declared.
  void DeclareCategorical(std::int64_t column) { by_categories_.insert(column); }
  /// Adds the next tree.
  void Add(ForeignTree tree, std::int64_t output);
  /// Returns the document of the added trees.
  Value Take();

 private:
  ForeignHeader const& header_;
  DocumentBuilder builder_;
  std::set<std::int64_t> by_categories_;  ///< columns
  Integers outputs_;                      ///< of the trees
};

}  // namespace kauri::model_io
