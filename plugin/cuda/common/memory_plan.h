/// \file Whether buffers fit, asked before the first of them is allocated. Whatever has memory that grows with the data
/// asks here, so that too little of it is one message and not half a training.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cuda/common/cuda_context.h"

namespace kauri::cuda {

/// Bytes that new buffers can have: what the driver has left and what the async pool holds without using it. Asks the
/// driver (about 0.1 ms): for plans, not for rounds.
std::size_t FreeBytes(CudaContext const& cuda);

struct MemoryPart {
  std::string name;
  std::size_t bytes;
};

/// Needs no device: `free_bytes` is FreeBytes(cuda) where memory is to be allocated. purpose: what all parts are for,
/// with its size ("training on 10 rows"). \throws Error(kMemory) with the bytes needed (of each part), those free, and
/// what to change, unless all parts fit into `free_bytes` together.
void RequireMemory(CudaContext const& cuda, std::string const& purpose, std::vector<MemoryPart> const& parts,
                   std::size_t free_bytes);

}  // namespace kauri::cuda
