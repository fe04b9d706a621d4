/// \file Sums over rows on a device (predictor/dependence/row_counter.h). They are integers, with the host's bits.
#pragma once

#include <cstdint>
#include <memory>

#include "predictor/dependence/row_counter.h"

namespace kauri::cuda {

/// Returns the counter of rows on the device of `ctx`; nullptr for trees that are too deep for its kernels. tile_bytes:
/// memory of the rows on the device; 0: a quarter of the free memory. The counter \throws Error(kDevice),
/// Error(kMemory).
std::shared_ptr<RowCounter> MakeDeviceRowCounter(Context const& ctx, WeighedRows const& rows,
                                                 std::int64_t tile_bytes = 0);

}  // namespace kauri::cuda
