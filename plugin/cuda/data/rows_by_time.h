/// \file Rows in the order of their times, which are the magnitudes of their labels (survival:cox).
#pragma once

#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/data/device_info.h"

namespace kauri::cuda {

enum class TimeOrder { kEarliestFirst, kLatestFirst };

/// Times in sorted order, by place; not owning.
struct PlacedTimes {
  std::int64_t n_rows;
  std::uint32_t const* keys;  ///< ascending; equal for equal times
  std::uint32_t const* rows;

  /// Returns the first place with the time of `place`.
  __device__ std::int64_t First(std::int64_t place) const {
    std::uint32_t const key = keys[place];
    std::int64_t low = 0;
    std::int64_t high = place;
    if (high > 0 && keys[high - 1] != key) low = high;  // most times occur once
    while (low < high) {
      std::int64_t const middle = low + (high - low) / 2;
      bool const before = keys[middle] != key;
      low = before ? middle + 1 : low;
      high = before ? high : middle;
    }
    return low;
  }
  /// Returns the last place with the time of `place`.
  __device__ std::int64_t Last(std::int64_t place) const {
    std::uint32_t const key = keys[place];
    std::int64_t low = place;
    std::int64_t high = n_rows - 1;
    if (low < high && keys[low + 1] != key) high = low;
    while (low < high) {
      std::int64_t const middle = high - (high - low) / 2;
      bool const after = keys[middle] != key;
      high = after ? middle - 1 : high;
      low = after ? low : middle;
    }
    return low;
  }
};

struct RowsByTime {
  std::int64_t n_rows = 0;
  Buffer<std::uint32_t> keys;
  Buffer<std::uint32_t> rows;

  PlacedTimes View() const { return {n_rows, keys.data(), rows.data()}; }
};

/// Sorts rows by time. Rows with equal times keep their order. One label column. Asynchronous; needs 16 bytes per row
/// while it runs.
RowsByTime SortByTime(CudaContext const& cuda, TimeOrder order, DeviceInfo const& info);

}  // namespace kauri::cuda
