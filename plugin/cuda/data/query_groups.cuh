/// \file Query groups on the device.
#pragma once

#include <cstdint>

#include "cuda/data/device_info.h"

namespace kauri::cuda {

/// Returns the group of a row: the last group that begins at the row or before. Returns 0 if no groups are given.
__device__ __forceinline__ std::int64_t GroupOf(DeviceInfo const& info, std::int64_t row) {
  std::int64_t low = 0;
  auto high = static_cast<std::int64_t>(info.group_ptr.size()) - 1;
  while (low + 1 < high) {
    std::int64_t const middle = low + (high - low) / 2;
    if (info.group_ptr.data()[middle] <= row) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Rows [begin, end) of a group, and its weight.
struct GroupRange {
  std::int64_t begin;
  std::int64_t end;
  float weight;

  __device__ GroupRange(DeviceInfo const& info, std::int64_t group)
      : begin(info.group_ptr.empty() ? 0 : info.group_ptr.data()[group]),
        end(info.group_ptr.empty() ? info.n_rows : info.group_ptr.data()[group + 1]),
        weight(info.weights.empty() ? 1.0F : info.weights.data()[group]) {}
  __device__ std::int64_t Size() const { return end - begin; }
};

inline std::int64_t NumGroups(DeviceInfo const& info) {
  return info.group_ptr.empty() ? 1 : static_cast<std::int64_t>(info.group_ptr.size()) - 1;
}

}  // namespace kauri::cuda
