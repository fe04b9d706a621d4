/// \file The trees of LightGBM's text format, as arrays over nodes: inner nodes in its order, then the leaves. The
/// format is described in lightgbm_text.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "booster/model_io/foreign_forest.h"
#include "booster/model_io/lightgbm_fields.h"
#include "kauri/categories.h"
#include "kauri/tree.h"

namespace kauri::model_io {

/// The sets of categories of a tree, as LightGBM stores them.
class CategorySets;

/// Reads the trees of one model. The numbers of nodes and categories are at most in proportion to the text, except
/// for splits on ordered categories, which are bounded over all trees.
class LightGbmTreeReader {
 public:
  /// names: of the columns' categories, or empty; must outlive the reader. scale: the factor of leaf values.
  LightGbmTreeReader(std::int64_t n_features, double scale, CategoryNameTable const& names)
      : n_features_(n_features), scale_(scale), names_(names) {}

  /// Returns the tree of the text from behind "Tree=" on. Whether its nodes are a tree is not checked. \throws
  /// Error(kModel) for a damaged text, linear leaves and zeros that are missing values.
  ForeignTree Read(std::string_view part);

 private:
  void ReadSplits(LightGbmFields const& fields, std::int64_t n_inner, ForeignTree* tree);
  void ReadFeatures(std::vector<std::int64_t> const& features, ForeignTree* tree) const;
  void ReadSplit(std::size_t node, std::int64_t kind, double threshold, CategorySets* sets, ForeignTree* tree);
  void AppendLevels(std::size_t n_levels, float threshold, std::vector<std::int32_t>* out);

  std::int64_t n_features_;
  double scale_;
  CategoryNameTable const& names_;
  std::int64_t n_ordered_ = 0;  ///< categories listed for splits on ordered categories so far
};

}  // namespace kauri::model_io
