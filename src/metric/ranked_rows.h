/// \file Rows in descending order of their predictions.
#pragma once

#include <cstdint>
#include <vector>

#include "common/descending_key.h"
#include "kauri/context.h"
#include "kauri/host_device.h"

namespace kauri {

/// A row's weight, divided between the two classes by its label. Sorting needs no access to the original row.
struct RankedRow {
  std::uint32_t key;  ///< DescendingFloatKey of the prediction
  float positive;
  float negative;
};

/// Returns whether the key came from a NaN: infinities have the keys 0x007FFFFF and 0xFF800000, and NaNs lie beyond
/// them.
KAURI_HD bool IsNaNKey(std::uint32_t key) { return key < 0x007FFFFFU || key > 0xFF800000U; }

/// Sorts by key; rows with equal keys keep their order, so the result is the same for any number of threads.
/// Three stable passes over digits of 11 bits unless there are few rows; 12 bytes per row of scratch memory.
void SortRankedRows(Context const& ctx, std::vector<RankedRow>* rows);

}  // namespace kauri
