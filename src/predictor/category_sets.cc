#include "predictor/category_sets.h"

#include <algorithm>

namespace kauri {
namespace {

/// Floats count exactly up to here; XGBoost refuses larger categories.
constexpr std::int32_t kCategoryLimit = 1 << 24;

}  // namespace

std::int32_t CategorySets::Add(Span<std::int32_t const> categories) {
  auto const* end = std::lower_bound(categories.begin(), categories.end(), kCategoryLimit);
  auto const count = static_cast<std::size_t>(end - categories.begin());
  auto const n_words = count == 0 ? std::size_t{0} : static_cast<std::size_t>(end[-1]) / 32 + 1;
  // A lone large category must not cost a bitset of all the smaller ones.
  auto const is_bitset = n_words <= 2 * count + 32;
  Set const set{data_.size(), static_cast<std::uint32_t>(is_bitset ? n_words : count), is_bitset};
  data_.resize(data_.size() + set.size, 0);
  for (std::size_t i = 0; i < count; ++i) {
    auto const category = static_cast<std::uint32_t>(categories[i]);
    if (is_bitset) {
      data_[set.begin + category / 32] |= 1U << (category % 32);
    } else {
      data_[set.begin + i] = category;
    }
  }
  sets_.push_back(set);
  return static_cast<std::int32_t>(sets_.size() - 1);
}

bool CategorySets::Contains(std::int32_t set, float value) const {
  if (!(value >= 0.0F) || value >= static_cast<float>(kCategoryLimit)) return false;
  auto const category = static_cast<std::uint32_t>(value);
  auto const& entry = sets_[static_cast<std::size_t>(set)];
  auto const* begin = data_.data() + entry.begin;
  if (!entry.is_bitset) return std::binary_search(begin, begin + entry.size, category);
  return category / 32 < entry.size && ((begin[category / 32] >> (category % 32)) & 1U) != 0;
}

}  // namespace kauri
