/// \file Rows in descending order of their predictions.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"

namespace kauri {

/// A row's weight, split between the two classes by its label; ready to be sorted without looking back at the row.
struct RankedRow {
  std::uint32_t key;  ///< DescendingKey of the prediction
  float positive;
  float negative;
};

/// Smaller for a larger prediction; equal predictions, 0 and -0 among them, have equal keys.
std::uint32_t DescendingKey(float prediction);
/// Whether the key came from a NaN.
bool IsNaNKey(std::uint32_t key);

/// Sorts by key; rows with equal keys keep their order, so the result is the same for any number of threads.
/// Three stable passes over digits of 11 bits unless there are few rows; 12 bytes per row of scratch memory.
void SortRankedRows(Context const& ctx, std::vector<RankedRow>* rows);

}  // namespace kauri
