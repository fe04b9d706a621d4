/// \file The names and kinds of features in a dump.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "booster/model_io/dump.h"

namespace kauri::model_io {

enum class FeatureKind { kQuantity, kInteger, kIndicator, kCategorical };

/// Checks a feature map once; then every column that trees know has a name and a kind.
class FeatureLabels {
 public:
  /// \throws Error(kParameter) unless the map is empty or has one name (and one known type, or no types) per feature.
  FeatureLabels(FeatureMap const& map, Model const& model);

  /// Escaped as in a JSON string, in every format: a name must not end a line or a string. f0, f1, ... without a map.
  std::string Name(std::uint32_t feature) const;
  /// \throws Error(kParameter) when the map says categorical where `tree` splits numerically, or the reverse.
  void CheckKinds(Tree const& tree) const;
  FeatureKind Kind(std::uint32_t feature) const {
    return feature < kinds_.size() ? kinds_[feature] : FeatureKind::kQuantity;
  }
  /// "1,2,5", or their names, escaped: the categories that go right.
  std::string Categories(Tree const& tree, std::int32_t node) const;
  /// "1, 2, 5", or names that are texts in quotes: the same as elements of a JSON array.
  std::string CategoriesInJson(Tree const& tree, std::int32_t node) const;

 private:
  std::vector<std::string> names_;  ///< of all columns that trees know; empty: f0, f1, ...
  std::vector<FeatureKind> kinds_;
  CategoryNameTable categories_;
};

/// \throws Error(kParameter) for anything but i, q, int, float and c.
FeatureKind KindOfType(std::string const& type);

/// The threshold as shown for a feature of `kind`: for an integer feature the smallest integer that goes right.
std::string ThresholdText(float threshold, FeatureKind kind);

/// The same where XGBoost prints a float, as in dot: the negative zero stays.
std::string ThresholdTextSigned(float threshold, FeatureKind kind);

}  // namespace kauri::model_io
