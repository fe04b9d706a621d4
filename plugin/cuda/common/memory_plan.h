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
/// FreeBytes; where they are less than `needed`, after idle memory of the device was given up (idle_memory.h).
std::size_t MakeRoom(CudaContext const& cuda, std::size_t needed);

struct MemoryPart {
  std::string name;
  std::size_t bytes;
};

/// Makes room for all parts together. purpose: what they are for, with its size ("training on 10 rows").
/// \throws Error(kMemory) with the bytes needed (of each part), those free, and what to change, unless they fit.
void RequireMemory(CudaContext const& cuda, std::string const& purpose, std::vector<MemoryPart> const& parts);
/// The same without a look at the device, which has `free_bytes`.
void RequireWithin(std::size_t free_bytes, CudaContext const& cuda, std::string const& purpose,
                   std::vector<MemoryPart> const& parts);

}  // namespace kauri::cuda
