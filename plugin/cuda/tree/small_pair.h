/// \file A gradient pair of gradient_bits, in two bytes (common/random/gradient_rounding.h).
#pragma once

#include <cuda_runtime.h>

namespace kauri::cuda {

/// x: the gradient, y: the hessian. Memory is read in one piece.
using SmallPair = char2;

}  // namespace kauri::cuda
