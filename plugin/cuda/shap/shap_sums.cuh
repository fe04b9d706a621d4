/// \file Access of kernels to the sums of shap_sums.h.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/shap/shap_sums.h"

namespace kauri::cuda {

__device__ __forceinline__ unsigned long long* SumAt(ShapSumsView const& sums, std::int64_t row, std::int64_t cell) {
  return sums.sums + row * sums.row_stride + cell * sums.cell_stride;
}

/// Adds a value to a sum. units: of 1, for the sum's output. Scaling by a power of two is exact; negative numbers are
/// added as their two's complement.
__device__ __forceinline__ void AddToSum(ShapSumsView const& sums, std::int64_t row, std::int64_t cell, double units,
                                         float value) {
  atomicAdd(SumAt(sums, row, cell),
            static_cast<unsigned long long>(__double2ll_rn(static_cast<double>(value) * units)));
}

/// Returns a sum divided by the range of its output.
__device__ __forceinline__ double ReadSum(ShapSumsView const& sums, std::int64_t row, std::int64_t cell) {
  auto const sum = static_cast<long long>(*SumAt(sums, row, cell));
  return static_cast<double>(sum) / sums.scale;
}

}  // namespace kauri::cuda
