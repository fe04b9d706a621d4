/// \file Selects the values of each row that are largest in absolute value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "kauri/host_device.h"

namespace kauri::cuda {

/// A value and its place as a number that sorts picks: smaller for larger absolute values, and among equal values for
/// smaller places. A NaN counts as larger than infinity. Bits: 31 of the magnitude, inverted, 32 of the place, the
/// sign.
using PickRank = std::uint64_t;

KAURI_HD PickRank RankOf(float value, std::uint32_t place) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  auto const magnitude = PickRank{~bits & 0x7FFFFFFFU};
  return magnitude << 33U | PickRank{place} << 1U | bits >> 31U;
}

inline std::uint32_t PlaceOfRank(PickRank rank) { return static_cast<std::uint32_t>(rank >> 1U); }

inline float ValueOfRank(PickRank rank) {
  auto const bits = (~static_cast<std::uint32_t>(rank >> 33U) & 0x7FFFFFFFU) | static_cast<std::uint32_t>(rank) << 31U;
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// Returns the picks of a segment in order. floats: two for each pick, as they come from the device.
inline std::vector<PickRank> SortedPicks(float const* floats, std::int64_t n_picks) {
  std::vector<PickRank> ranks(static_cast<std::size_t>(n_picks));
  if (ranks.empty()) return ranks;
  std::memcpy(ranks.data(), floats, ranks.size() * sizeof(PickRank));
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

/// Values of a row that are ranked among themselves, fewer than 2^32. Places count from the first value.
struct PickSegment {
  std::int64_t begin;  ///< into a row of values
  std::int64_t size;
  std::int64_t pick_begin;  ///< into a row of picks
  std::int64_t n_picks;     ///< at most size
};

/// Pointers into device memory.
struct PickTask {
  float const* values;  ///< [n_rows, row_floats]
  std::int64_t row_floats;
  std::int64_t n_rows;
  PickSegment const* segments;
  std::int64_t n_segments;
  PickRank* picks;  ///< [n_rows, row_picks], in no particular order within a segment
  std::int64_t row_picks;
};

/// Writes the picks of all rows and segments. Reads the values up to nine times. Asynchronous on the stream of `cuda`.
void SelectLargest(CudaContext const& cuda, PickTask const& task);

}  // namespace kauri::cuda
