/// \file Trees for people and plots: text, JSON and dot, in XGBoost's format.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kauri/model.h"
#include "kauri/ordered_encoding.h"
#include "kauri/span.h"

namespace kauri {

/// Names and types for the dump. If empty, names are f0, f1, ..., types are q, and categories are shown as numbers.
struct FeatureMap {
  std::vector<std::string> names;
  std::vector<std::string> types;  ///< i (indicator), q, float, int, c
  CategoryNameTable categories{};
};

/// Reads a feature map file: one "index name type" per line. \throws Error(kIo), Error(kData) with the line number.
FeatureMap ReadFeatureMap(std::string const& path);

/// Returns one string per tree, or a single string for a linear model, which has no dump in dot. format: text, json or
/// dot, or one of them with options after a colon, as in dot:{"graph_attrs": {"rankdir": "LR"}}. The option
/// {"labels": {"categories": "names"}} shows the model's category names. \throws Error(kParameter) for another format.
std::vector<std::string> DumpModel(Model const& model, FeatureMap const& map, bool with_stats,
                                   std::string const& format);

/// Names of the columns that trees split on: the features' names, or f0, f1, ... if there are none. The name of a
/// combination of columns joins the columns' names with &. The share of a class (categorical_encoding=ordered) ends in
/// @ and the number of the class.
class ColumnNames {
 public:
  /// names: [n_features], or empty. Both must outlive it.
  ColumnNames(Model const& model, std::vector<std::string> const& names);

  std::string Of(std::int64_t column) const;

 private:
  std::string OfFeature(std::int64_t feature) const;

  Model const& model_;
  std::vector<std::string> const& names_;
  std::vector<NumberColumn> added_;
};

/// Returns the score of each feature by its index; unused features are absent. importance_type: weight, gain, cover,
/// total_gain or total_cover. Columns that exist only in the model have the index that trees use for them.
/// \throws Error(kParameter) for another type.
std::map<std::int64_t, double> FeatureScore(Model const& model, std::string const& importance_type);

/// Returns the weights of a linear model, [n_features, n_outputs], without the biases. \throws Error(kParameter) unless
/// importance_type is weight.
Span<float const> LinearScore(Model const& model, std::string const& importance_type);

}  // namespace kauri
