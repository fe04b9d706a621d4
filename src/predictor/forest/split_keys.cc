#include "predictor/forest/split_keys.h"

#include <algorithm>

namespace kauri {

std::int32_t CategorySets::Add(Span<std::int32_t const> categories) {
  auto const* end = std::lower_bound(categories.begin(), categories.end(), kCategoryLimit);
  auto const count = static_cast<std::size_t>(end - categories.begin());
  auto const n_words = count == 0 ? std::size_t{0} : static_cast<std::size_t>(end[-1]) / 32 + 1;
  // A lone large category must not cost a bitset of all the smaller ones.
  auto const is_bitset = n_words <= 2 * count + 32;
  CategorySet const set{data_.size(), static_cast<std::uint32_t>(is_bitset ? n_words : count), is_bitset};
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

std::vector<std::int32_t> CategorySets::List(std::int32_t set) const {
  auto const& entry = sets_[set];
  std::vector<std::int32_t> list;
  for (std::uint32_t i = 0; i < entry.size; ++i) {
    auto const word = data_[entry.begin + i];
    if (!entry.is_bitset) list.push_back(static_cast<std::int32_t>(word));
    for (std::uint32_t bit = 0; entry.is_bitset && bit < 32; ++bit) {
      if (((word >> bit) & 1U) != 0) list.push_back(static_cast<std::int32_t>(32 * i + bit));
    }
  }
  return list;
}

}  // namespace kauri
