/// \file Threads that sleep for short times, on systems that cannot wait on an address: a thread wakes up to a
/// millisecond late, and an idle thread looks a thousand times a second.
#include "common/platform/thread.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace kauri::platform {

void NameThisThread(char const* /*name*/) {}

void FutexWait(FutexWord const* word, std::uint64_t value) {
  auto const is_unchanged = [&] {
    return static_cast<std::uint32_t>(word->load(std::memory_order_relaxed)) == static_cast<std::uint32_t>(value);
  };
  for (auto nap = std::chrono::microseconds(50); is_unchanged();
       nap = std::min(2 * nap, std::chrono::microseconds(1000))) {
    std::this_thread::sleep_for(nap);
  }
}

void FutexWake(FutexWord const* /*word*/) {}

void FutexWakeAll(FutexWord const* /*word*/) {}

}  // namespace kauri::platform
