/// \file The names of the features' categories, and the categories that training has seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kauri {

struct OrderedEncoding;

/// The names of one feature's categories, distinct: name c belongs to category c. At most one of the two vectors is
/// used. If both are empty, the categories have no names except their numbers, or the feature is numerical.
struct CategoryNames {
  /// The type that `numbers` had in the caller's data; the values are XGBoost's numbers for the types.
  enum class Type : std::uint8_t { kI8 = 9, kU8, kI16, kU16, kI32, kU32, kI64, kU64 };

  std::vector<std::string> texts;  ///< UTF-8, not checked
  std::vector<std::int64_t> numbers;
  Type number_type = Type::kI64;  ///< a kU64 is stored as the int64 of the same bits

  std::size_t Size() const { return texts.size() + numbers.size(); }
  bool operator==(CategoryNames const& other) const {
    return texts == other.texts && numbers == other.numbers && number_type == other.number_type;
  }
  bool operator!=(CategoryNames const& other) const { return !(*this == other); }
};

/// [n_features], or empty: no category has a name.
using CategoryNameTable = std::vector<CategoryNames>;

/// Treatment of a category that did not occur in training. kXGBoost: it goes left at every split of its feature (and a
/// name that the model does not know is an error). kMissing: it counts as missing. kError: it is refused.
enum class UnseenCategory : std::uint8_t { kXGBoost, kMissing, kError };

/// A model's knowledge of categories.
struct ModelCategories {
  CategoryNameTable names;
  std::vector<std::vector<std::int32_t>> seen;  ///< [n_features] ascending; empty: not known, as in XGBoost's files
  UnseenCategory unseen = UnseenCategory::kXGBoost;
  /// The encoding of categories as the numbers that trees use; nullptr: trees use the categories' own numbers
  /// (categorical_encoding=partition).
  std::shared_ptr<OrderedEncoding const> ordered = nullptr;

  /// Returns whether trees use encoded numbers for the categories of a feature.
  bool Encodes(std::size_t feature) const;
  /// Returns whether every category of a feature is new: training saw none there, and the model names none.
  bool HadNone(std::size_t feature) const;
  /// Returns the number of columns that trees use besides the features (OrderedEncoding).
  std::int64_t NumAddedColumns() const;
};

}  // namespace kauri
