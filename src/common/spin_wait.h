/// \file How long a thread spins before it sleeps.
///
/// Waking a sleeping thread takes 5 to 50 microseconds, as long as many a loop of a small training runs; spinning takes
/// a processor from whoever else could use it, not least from the thread that is waited for. So threads spin for some
/// hundred microseconds, which bridges what lies between two loops of a training, let others in meanwhile, and stop at
/// once when they find that somebody else had their processor. Watching the kernel's counts of how often threads were
/// put aside, to stop spinning on a busy machine altogether, gained nothing there and cost a third of the speed of
/// small trainings on a quiet one, whose spinning threads are put aside as well.
#pragma once

#include <sched.h>

#include <chrono>

namespace kauri {

/// Tells the processor that this thread waits.
inline void Pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

using SpinClock = std::chrono::steady_clock;

/// Spins until done(), or until it is time to sleep: then false. `limit` is how long it may well take. Others that wait
/// for this processor get it in between, unless this thread is who others will wait for: `is_urgent`.
template <typename Done>
bool SpinUntil(SpinClock::duration limit, bool is_urgent, Done const& done) {
  constexpr int kLooks = 32;                            // at done() for one at the clock, which takes as long
  constexpr auto kGap = std::chrono::microseconds(50);  // between two looks at the clock: was put aside
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
