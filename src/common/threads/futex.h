/// \file Sleeping until a word in memory changes, as the Linux kernel offers it: a std::condition_variable without its
/// mutex, which a fork() could copy while a thread holds it. On other systems, and with KAURI_NAPS, short sleeps
/// replace the kernel's call: the thread wakes up to a millisecond later, and an idle thread checks a thousand times a
/// second.
#pragma once

#include <atomic>
#include <cstdint>

#if defined(__linux__) && !defined(KAURI_NAPS)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#else
#include <algorithm>
#include <chrono>
#include <thread>
#endif

namespace kauri {

/// A 64-bit word; the kernel sees its lower half.
using FutexWord = std::atomic<std::uint64_t>;

#if defined(__linux__) && !defined(KAURI_NAPS)
namespace detail {

inline void const* LowerHalf(FutexWord const* word) {
  static_assert(sizeof(FutexWord) == sizeof(std::uint64_t));
  constexpr int kFirst = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 4;
  return reinterpret_cast<char const*>(word) + kFirst;
}

}  // namespace detail

/// Sleeps while the lower half of `word` equals the lower half of `value`, until FutexWake; may return at any time
/// without reason.
inline void FutexWait(FutexWord const* word, std::uint64_t value) {
  syscall(SYS_futex, detail::LowerHalf(word), FUTEX_WAIT_PRIVATE, static_cast<std::uint32_t>(value), nullptr);
}

/// Wakes one thread that sleeps there. `word` is used as an address only: the object may already be freed.
inline void FutexWake(FutexWord const* word) { syscall(SYS_futex, detail::LowerHalf(word), FUTEX_WAKE_PRIVATE, 1); }

/// Wakes all threads that sleep there; `word` as above.
inline void FutexWakeAll(FutexWord const* word) {
  constexpr int kAll = 0x7FFFFFFF;
  syscall(SYS_futex, detail::LowerHalf(word), FUTEX_WAKE_PRIVATE, kAll);
}
#else
inline void FutexWait(FutexWord const* word, std::uint64_t value) {
  auto const is_unchanged = [&] {
    return static_cast<std::uint32_t>(word->load(std::memory_order_relaxed)) == static_cast<std::uint32_t>(value);
  };
  for (auto nap = std::chrono::microseconds(50); is_unchanged();
       nap = std::min(2 * nap, std::chrono::microseconds(1000))) {
    std::this_thread::sleep_for(nap);
  }
}

inline void FutexWake(FutexWord const* /*word*/) {}

inline void FutexWakeAll(FutexWord const* /*word*/) {}
#endif

}  // namespace kauri
