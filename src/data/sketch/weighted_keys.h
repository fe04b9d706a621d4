/// \file Values as integers that sort like the floats, with the weights of their rows.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "kauri/host_device.h"

namespace kauri {

/// Maps a float to an integer with the same order; both zeros become one.
KAURI_HD std::uint32_t ToKey(float value) {
  value += 0.0F;
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return (bits >> 31U) != 0U ? ~bits : bits | 0x80000000U;
}

KAURI_HD float FromKey(std::uint32_t key) {
  auto const bits = (key >> 31U) != 0U ? key & 0x7FFFFFFFU : ~key;
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

struct WeightedKey {
  std::uint32_t key;
  float weight;
};

inline std::uint32_t KeyOf(std::uint32_t key) { return key; }
inline std::uint32_t KeyOf(WeightedKey const& item) { return item.key; }

/// Sorts by key, stably. Least significant digit first, 11 bits per digit; a digit that all keys share costs nothing.
template <typename Item>
void SortKeys(std::vector<Item>* items, std::vector<Item>* scratch) {
  constexpr std::uint32_t kBits = 11;
  constexpr std::uint32_t kDigits = 1U << kBits;
  constexpr std::size_t kPasses = 3;
  if (items->size() < kDigits) {
    std::stable_sort(items->begin(), items->end(), [](Item const& a, Item const& b) { return KeyOf(a) < KeyOf(b); });
    return;
  }
  std::array<std::array<std::uint32_t, kDigits>, kPasses> counts{};
  for (auto const& item : *items) {
    auto const key = KeyOf(item);
    ++counts[0][key % kDigits];
    ++counts[1][(key >> kBits) % kDigits];
    ++counts[2][key >> (2 * kBits)];
  }
  scratch->resize(items->size());
  for (std::size_t pass = 0; pass < kPasses; ++pass) {
    auto& count = counts[pass];
    if (std::any_of(count.begin(), count.end(), [&](std::uint32_t c) { return c == items->size(); })) continue;
    std::exclusive_scan(count.begin(), count.end(), count.begin(), 0U);
    auto const shift = static_cast<std::uint32_t>(pass) * kBits;
    auto* out = scratch->data();
    for (auto const& item : *items) out[count[(KeyOf(item) >> shift) % kDigits]++] = item;
    items->swap(*scratch);
  }
}

}  // namespace kauri
