/// \file The names and kinds of features in a dump.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "booster/model_io/dump.h"

namespace kauri::model_io {

enum class FeatureKind { kQuantity, kInteger, kIndicator, kCategorical };

/// Names and kinds of all columns that trees use. The constructor checks the feature map.
class FeatureLabels {
 public:
  /// \throws Error(kParameter) unless the map is empty or has one name (and one known type, or no types) per feature.
  FeatureLabels(FeatureMap const& map, Model const& model);

  /// Returns the name, escaped as in a JSON string in every format, so that it cannot end a line or a string. Without a
  /// map names are f0, f1, ...
  std::string Name(std::uint32_t feature) const;
  /// \throws Error(kParameter) if `tree` splits a feature numerically that the map says is categorical, or the reverse.
  void CheckKinds(Tree const& tree) const;
  FeatureKind Kind(std::uint32_t feature) const {
    return feature < kinds_.size() ? kinds_[feature] : FeatureKind::kQuantity;
  }
  /// Returns the categories that go right, such as "1,2,5", or their escaped names.
  std::string Categories(Tree const& tree, std::int32_t node) const;
  /// Returns the categories that go right as elements of a JSON array: "1, 2, 5", or names, texts in quotes.
  std::string CategoriesInJson(Tree const& tree, std::int32_t node) const;

 private:
  std::vector<std::string> names_;  ///< names of all columns that trees use; empty: f0, f1, ...
  std::vector<FeatureKind> kinds_;
  CategoryNameTable categories_;
};

/// Parses i, q, int, float or c. \throws Error(kParameter) for any other text.
FeatureKind KindOfType(std::string const& type);

/// Returns the threshold as shown for a feature of `kind`: for an integer feature, the smallest integer that goes
/// right.
std::string ThresholdText(float threshold, FeatureKind kind);

/// Returns the threshold where XGBoost prints a float, as in dot: a negative zero is kept.
std::string ThresholdTextSigned(float threshold, FeatureKind kind);

}  // namespace kauri::model_io
