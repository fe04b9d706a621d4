/// \file What the categories of features are called, and which of them training has seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kauri {

struct OrderedEncoding;

/// The names of one feature's categories, distinct: category c is the c-th. One of the two vectors is used; none: the
/// categories have no names but their numbers, or the feature is a number.
struct CategoryNames {
  /// What numbers were before; XGBoost's numbers for the types.
  enum class Type : std::uint8_t { kI8 = 9, kU8, kI16, kU16, kI32, kU32, kI64, kU64 };

  std::vector<std::string> texts;  ///< UTF-8, not checked
  std::vector<std::int64_t> numbers;
  Type number_type = Type::kI64;  ///< the bits of a kU64 are those of the int64

  std::size_t Size() const { return texts.size() + numbers.size(); }
  bool operator==(CategoryNames const& other) const {
    return texts == other.texts && numbers == other.numbers && number_type == other.number_type;
  }
  bool operator!=(CategoryNames const& other) const { return !(*this == other); }
};

/// [n_features], or empty: no category has a name.
using CategoryNameTable = std::vector<CategoryNames>;

/// What becomes of a category that did not occur in training: kXGBoost, it goes left at every split of its feature (and
/// a name that the model does not know is an error); kMissing, it counts as missing; kError, it is refused.
enum class UnseenCategory : std::uint8_t { kXGBoost, kMissing, kError };

/// What a model knows of categories.
struct ModelCategories {
  CategoryNameTable names;
  std::vector<std::vector<std::int32_t>> seen;  ///< [n_features] ascending; empty: not known, as in XGBoost's files
  UnseenCategory unseen = UnseenCategory::kXGBoost;
  /// The numbers that trees know categories by; nullptr: those are their own (categorical_encoding=partition).
  std::shared_ptr<OrderedEncoding const> ordered = nullptr;

  /// Whether trees know the categories of a feature by other numbers.
  bool Encodes(std::size_t feature) const;
  /// Returns whether every category of a feature is new: training saw none there, and the model names none.
  bool HadNone(std::size_t feature) const;
  /// How many columns trees know beside the features (OrderedEncoding).
  std::int64_t NumAddedColumns() const;
};

}  // namespace kauri
