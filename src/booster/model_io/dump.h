/// \file Trees for people and plots: text, JSON and dot, in XGBoost's format.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kauri/model.h"
#include "kauri/ordered_encoding.h"
#include "kauri/span.h"

namespace kauri {

/// Names and types for the dump; empty: f0, f1, ... and q, and categories by their numbers.
struct FeatureMap {
  std::vector<std::string> names;
  std::vector<std::string> types;  ///< i (indicator), q, float, int, c
  CategoryNameTable categories{};
};

/// Reads a feature map file: one "index name type" per line. \throws Error(kIo), Error(kData) with the line number.
FeatureMap ReadFeatureMap(std::string const& path);

/// One string per tree, or one of a linear model, which has none in dot. format: text, json or dot, or one of them with
/// options behind a colon, as in dot:{"graph_attrs": {"rankdir": "LR"}}; {"labels": {"categories": "names"}} shows the
/// model's names of categories. \throws Error(kParameter) for another.
std::vector<std::string> DumpModel(Model const& model, FeatureMap const& map, bool with_stats,
                                   std::string const& format);

/// What columns that trees split on are called: by names, or f0, f1, ... if there are none; a combination of columns as
/// these, with & between them; the shares of a class (categorical_encoding=ordered) with @ and its number at the end.
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

/// importance_type: weight, gain, cover, total_gain, total_cover -> feature index -> score; unused features are absent.
/// Columns that only the model has are there by the index that trees know them by. \throws Error(kParameter) for
/// another type.
std::map<std::int64_t, double> FeatureScore(Model const& model, std::string const& importance_type);

/// The weights of a linear model, [n_features, n_outputs], without the biases. \throws Error(kParameter) unless
/// importance_type is weight.
Span<float const> LinearScore(Model const& model, std::string const& importance_type);

}  // namespace kauri
