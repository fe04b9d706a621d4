/// \file Checks whether buffers fit before the first of them is allocated. All code whose memory grows with the data
/// checks here, so that too little memory gives a message at once, not in the middle of a training.
///
/// IdleMemory is device memory that is kept for a later use and is given up before a request for memory is refused.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cuda/common/cuda_context.h"

namespace kauri::cuda {

/// Returns the bytes that new buffers can have: free memory of the driver and unused memory of the async pool. Calls
/// the driver (about 0.1 ms), so it is meant for plans, not for rounds.
std::size_t FreeBytes(CudaContext const& cuda);
/// Returns FreeBytes. If they are less than `needed`, first gives up idle memory of the device.
std::size_t MakeRoom(CudaContext const& cuda, std::size_t needed);

struct MemoryPart {
  std::string name;
  std::size_t bytes;
};

/// Makes room for all parts together. purpose: the use of the memory, with its size ("training on 10 rows"). \throws
/// Error(kMemory) unless they fit, with the bytes needed (of each part), the free bytes, and what to change.
void RequireMemory(CudaContext const& cuda, std::string const& purpose, std::vector<MemoryPart> const& parts);
/// Does the same without querying the device, which has `free_bytes`.
void RequireWithin(std::size_t free_bytes, CudaContext const& cuda, std::string const& purpose,
                   std::vector<MemoryPart> const& parts);

/// Memory that can be given up. Safe from many threads.
class IdleMemory {
 public:
  IdleMemory() = default;
  virtual ~IdleMemory() = default;
  IdleMemory(IdleMemory const&) = delete;
  IdleMemory& operator=(IdleMemory const&) = delete;

  virtual int Device() const = 0;
  /// Frees the memory that is not in use. Never waits for a user or maker of the memory, who may be the caller.
  virtual void GiveUp() const = 0;
};

/// Registers `memory`, so that GiveUpIdleMemory calls its GiveUp while it lives.
void RegisterIdleMemory(std::shared_ptr<IdleMemory const> const& memory);
void GiveUpIdleMemory(int device);

}  // namespace kauri::cuda
