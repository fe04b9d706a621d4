/// \file Integer sums of residuals that many threads add to.
#pragma once

#include "tree/absolute_error/residual_sum.h"

namespace kauri::cuda {

/// Adds a sum to global or shared memory. Integer additions commute, so the result does not depend on their order.
__device__ __forceinline__ void AtomicAdd(ResidualSum* to, ResidualSum const& sum) {
  if (sum.weight != 0)
    atomicAdd(reinterpret_cast<unsigned long long*>(&to->weight), static_cast<unsigned long long>(sum.weight));
  if (sum.product != 0)
    atomicAdd(reinterpret_cast<unsigned long long*>(&to->product), static_cast<unsigned long long>(sum.product));
}

}  // namespace kauri::cuda
