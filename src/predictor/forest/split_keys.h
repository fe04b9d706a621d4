/// \file Conditions of splits as predictors read them: values as integers, and sets of categories.
///
/// Feature values as integers of the same order. One integer comparison decides a split, for missing values too.
///
/// key(x) of a float is its bit pattern with the magnitude bits of negative numbers flipped: x < y <=> key(x) < key(y),
/// and -0 has the key of +0. A missing value has the largest integer as key, which no number has. At a split with
/// threshold t a row goes right iff key(x) + d >= key(t) + d, where d = 1 if the default is left and 0 otherwise; the
/// sum on the right is stored. The missing key plus one wraps to the smallest integer, so a missing value goes left; no
/// other key wraps. Integers also do not depend on the host's treatment of denormal numbers.
///
/// CategorySets are the categories that go right at the categorical splits of a forest.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "kauri/host_device.h"
#include "kauri/span.h"
#include "kauri/tree.h"

namespace kauri {

/// Key of a missing value, above the key of every number.
constexpr std::int32_t kMissingKey = std::numeric_limits<std::int32_t>::max();

KAURI_HD std::int32_t KeyOf(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return kMissingKey;
  if (bits == 0x80000000U) return 0;
  return static_cast<std::int32_t>(bits ^ (static_cast<std::uint32_t>(static_cast<std::int32_t>(bits) >> 31) >> 1U));
}

/// Returns the value of a key; NaN for kMissingKey.
KAURI_HD float ValueOfKey(std::int32_t key) {
  auto const bits = static_cast<std::uint32_t>(key) ^ (static_cast<std::uint32_t>(key >> 31) >> 1U);
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

struct CategorySet {
  std::size_t begin;
  std::uint32_t size;  ///< words of a bitset (32 categories each), or categories of a list
  bool is_bitset;
};

/// A category is the integer part of a value in [0, 2^24); every other value belongs to no set (XGBoost's rule).
/// Not owning, so that it can also describe sets in device memory.
struct CategorySetsView {
  CategorySet const* sets;
  std::uint32_t const* data;

  KAURI_HD bool Contains(std::int32_t set, float value) const {
    if (!(value >= 0.0F) || value >= static_cast<float>(kCategoryLimit)) return false;
    auto const category = static_cast<std::uint32_t>(value);
    auto const entry = sets[set];
    auto const* words = data + entry.begin;
    if (entry.is_bitset) return category / 32 < entry.size && ((words[category / 32] >> (category % 32)) & 1U) != 0;
    std::uint32_t low = 0;
    for (auto high = entry.size; low < high;) {
      auto const middle = (low + high) / 2;
      words[middle] < category ? low = middle + 1 : high = middle;
    }
    return low < entry.size && words[low] == category;
  }
};

class CategorySets {
 public:
  /// Adds a set and returns its number. A dense set is stored as a bitset, a sparse one as a sorted list. categories:
  /// ascending, not negative.
  std::int32_t Add(Span<std::int32_t const> categories);
  bool Contains(std::int32_t set, float value) const {
    return CategorySetsView{sets_.data(), data_.data()}.Contains(set, value);
  }
  /// Returns the categories of a set, ascending.
  std::vector<std::int32_t> List(std::int32_t set) const;
  std::vector<CategorySet> const& Sets() const { return sets_; }
  std::vector<std::uint32_t> const& Data() const { return data_; }

 private:
  std::vector<CategorySet> sets_;
  std::vector<std::uint32_t> data_;
};

}  // namespace kauri
