/// \file Device memory that is kept for a later use and is given up before a request for memory is refused.
#pragma once

#include <memory>

namespace kauri::cuda {

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
