/// \file Device memory that is kept for a later use and is given up before a request for memory is refused.
#pragma once

#include <memory>

namespace kauri::cuda {

/// Safe from many threads.
class IdleMemory {
 public:
  IdleMemory() = default;
  virtual ~IdleMemory() = default;
  IdleMemory(IdleMemory const&) = delete;
  IdleMemory& operator=(IdleMemory const&) = delete;

  virtual int Device() const = 0;
  /// Frees what nobody uses at the moment. Never waits for who is using or making it: that may be the caller.
  virtual void GiveUp() const = 0;
};

/// `memory` is asked to give up its own while it lives.
void RegisterIdleMemory(std::shared_ptr<IdleMemory const> const& memory);
void GiveUpIdleMemory(int device);

}  // namespace kauri::cuda
