/// \file A WebAssembly module has the thread that calls it, and no other.
#include "common/platform/thread.h"

namespace kauri::platform {

bool StartThread(void* (* /*run*/)(void*), void* /*argument*/) { return false; }

int AtFork(void (* /*in_child*/)()) { return 0; }

ThreadPointer::ThreadPointer(void (* /*destroy*/)(void*)) noexcept : has_key_(true) {}

void* ThreadPointer::Get() const noexcept { return reinterpret_cast<void*>(key_); }

bool ThreadPointer::Set(void* pointer) noexcept {
  key_ = reinterpret_cast<std::uintptr_t>(pointer);
  return has_key_;
}

}  // namespace kauri::platform
