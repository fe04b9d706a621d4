/// \file Radix sort of floats in a fixed number of passes: comparisons of unsorted numbers are unpredictable.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "tree/absolute_error/ordered_bits.h"

namespace kauri {

/// Sorts in ascending order; values must not be NaN. Negative zeros come first. Costs some nanoseconds per number, plus
/// a microsecond.
inline void SortFloats(std::vector<float>* values) {
  constexpr std::size_t kDigits = 4;
  std::vector<std::uint32_t> keys(values->size());
  std::vector<std::uint32_t> others(values->size());
  std::array<std::array<std::uint32_t, 256>, kDigits> places{};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i] = OrderedBits((*values)[i]);
    for (std::size_t digit = 0; digit < kDigits; ++digit) ++places[digit][keys[i] >> (8 * digit) & 255];
  }
  for (std::size_t digit = 0; digit < kDigits; ++digit) {
    std::uint32_t place = 0;
    for (auto& count : places[digit]) place += std::exchange(count, place);
    for (auto const key : keys) others[places[digit][key >> (8 * digit) & 255]++] = key;
    keys.swap(others);
  }
  for (std::size_t i = 0; i < keys.size(); ++i) (*values)[i] = FloatOfOrdered(keys[i]);
}

}  // namespace kauri
