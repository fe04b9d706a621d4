/// \file The categories that go right at the categorical splits of a forest.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/span.h"

namespace kauri {

/// A category is the integer part of a value in [0, 2^24); every other value belongs to no set (XGBoost's rule).
class CategorySets {
 public:
  /// categories: ascending, not negative. Returns the set's number. A dense set is a bitset, a sparse one a sorted
  /// list.
  std::int32_t Add(Span<std::int32_t const> categories);
  bool Contains(std::int32_t set, float value) const;

 private:
  struct Set {
    std::size_t begin;
    std::uint32_t size;  ///< words of 32 categories, or categories
    bool is_bitset;
  };
  std::vector<Set> sets_;
  std::vector<std::uint32_t> data_;
};

}  // namespace kauri
