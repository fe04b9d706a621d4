/// \file Trees for people and plots: text, JSON and dot, in XGBoost's format.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kauri/model.h"
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

/// What a column that trees split on is called: by `names`, or f0, f1, ... if there are none; a combination of columns
/// as these, with & between them.
std::string NameOfColumn(Model const& model, std::vector<std::string> const& names, std::int64_t column);

/// importance_type: weight, gain, cover, total_gain, total_cover -> feature index -> score; unused features are absent.
/// A combination of columns has the index that trees know it by. \throws Error(kParameter) for another type.
std::map<std::int64_t, double> FeatureScore(Model const& model, std::string const& importance_type);

/// The weights of a linear model, [n_features, n_outputs], without the biases. \throws Error(kParameter) unless
/// importance_type is weight.
Span<float const> LinearScore(Model const& model, std::string const& importance_type);

}  // namespace kauri
