/// \file How threads wait: they spin for a short time, then they sleep.
///
/// FutexWait sleeps until a word in memory changes, as the Linux kernel offers it: a std::condition_variable without
/// its mutex, which a fork() could copy while a thread holds it (common/platform/thread.h).
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

#include <chrono>
#include <thread>

#include "common/platform/thread.h"

namespace kauri {

using platform::FutexWait;
using platform::FutexWake;
using platform::FutexWakeAll;
using platform::FutexWord;

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
    if (!is_urgent) std::this_thread::yield();
    auto const now = SpinClock::now();
    if (now - begin > limit || now - before > kGap) return false;
    before = now;
  }
}

}  // namespace kauri
