/// \file Random orders of rows in device memory, and lists of their elements, identical to the host's
/// (common/shuffle/shuffle.h, common/shuffle/shuffle_rows.h).
#pragma once

#include <cstdint>

#include "common/shuffle/shuffle.h"
#include "common/shuffle/shuffle_rows.h"
#include "cuda/common/cuda_context.h"
#include "kauri/span.h"

namespace kauri::cuda {

class LookBack;

/// Shuffles rows like kauri::ShuffleRows, on the device. Asynchronous. Scratch memory: 8 bytes for every 2,048
/// candidates; there are up to two candidates a row. Strides are not negative.
void ShuffleDeviceRows(CudaContext const& cuda, RowMove const& move, std::uint64_t seed, LookBack* look_back);

/// Shuffles rows like kauri::ShuffleRowsInPlace, on the device. Asynchronous, no scratch memory. Strides are not
/// negative.
void ShuffleDeviceRowsInPlace(CudaContext const& cuda, RowMove const& move, std::uint64_t seed);

/// Sets `first` to the elements at the first positions, at most Size(). Waits for a count unless it lists all
/// positions.
void ListShuffle(CudaContext const& cuda, Shuffle const& shuffle, Span<std::int64_t> first, LookBack* look_back);

}  // namespace kauri::cuda
