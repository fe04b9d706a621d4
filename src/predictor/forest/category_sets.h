/// \file The categories that go right at the categorical splits of a forest.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/host_device.h"
#include "kauri/span.h"
#include "kauri/tree.h"

namespace kauri {

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
