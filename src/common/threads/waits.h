/// \file How threads wait: they spin for a short time, then they sleep.
///
/// FutexWait sleeps until a word in memory changes, as the Linux kernel offers it: a std::condition_variable without
/// its mutex, which a fork() could copy while a thread holds it. On other systems, and with KAURI_NAPS, short sleeps
/// replace the kernel's call: the thread wakes up to a millisecond later, and an idle thread checks a thousand times a
/// second.
///
/// SpinUntil decides how long a thread spins before it sleeps.
///
/// Waking a sleeping thread takes 5 to 50 microseconds, the length of many loops in a small training. Spinning takes a
/// processor from other threads, possibly from the thread that is waited for. So threads spin for a few hundred
/// microseconds, which bridges the time between two loops of a training. They yield meanwhile, and stop at once when
/// they find that another thread had their processor. An alternative was tried: watching the kernel's counts of
/// preemptions, to stop spinning on a busy machine altogether. It gained nothing there and cost a third of the speed of
/// small trainings on an idle machine, whose spinning threads are preempted as well.
#pragma once

#include <sched.h>

#include <atomic>
#include <chrono>
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

/// Hints to the processor that this thread is waiting.
inline void Pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

using SpinClock = std::chrono::steady_clock;

/// Spins until done() and returns true, or returns false when it is time to sleep. `limit` is the expected maximum
/// waiting time. The thread yields its processor meanwhile, unless `is_urgent`: other threads will wait for this one.
template <typename Done>
bool SpinUntil(SpinClock::duration limit, bool is_urgent, Done const& done) {
  constexpr int kLooks = 32;  // checks of done() per reading of the clock, which takes as long
  // a longer time between two readings of the clock means that the thread was preempted
  constexpr auto kGap = std::chrono::microseconds(50);
  auto const begin = SpinClock::now();
  for (auto before = begin;;) {
    for (int look = 0; look < kLooks; ++look) {
      if (done()) return true;
      Pause();
    }
    if (!is_urgent) sched_yield();
    auto const now = SpinClock::now();
    if (now - begin > limit || now - before > kGap) return false;
    before = now;
  }
}

}  // namespace kauri
