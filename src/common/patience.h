/// \file How long a thread spins before it sleeps.
///
/// Waking a sleeping thread takes 5 to 50 microseconds, as long as many a loop of a small training runs; spinning takes
/// a processor from whoever else could use it, not least from the thread that is waited for. So threads spin only while
/// nobody else wants the processors, as far as can be told: until the kernel has put one of them aside twice in a short
/// time. Once tells nothing: its own threads do that to one of sixteen on a quiet machine every 30 ms, and a pool that
/// gave up spinning then took 1.2 to 1.4 times as long for trainings on 1,000 rows.
#pragma once

#include <sched.h>

#include <algorithm>
#include <atomic>
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

/// Of one thread.
class Patience {
 public:
  using Clock = std::chrono::steady_clock;

  /// Spins until done(), or until it is time to sleep: then false. `expected` is how long it may well take. Others that
  /// wait for this processor get it in between, unless this thread is who others will wait for: `is_urgent`.
  template <typename Done>
  bool Spin(Clock::duration expected, bool is_urgent, Done const& done);

  /// For what comes at any time or not at all: between two loops of a training.
  static constexpr auto kLong = std::chrono::milliseconds(5);

 private:
  static constexpr auto kGap = std::chrono::microseconds(50);     ///< between two looks at the clock: was put aside
  static constexpr auto kLately = std::chrono::milliseconds(30);  ///< others come back

  /// Whether a thread had to leave its processor to others twice within kLately: this one, or those that have looked.
  bool HaveOthersCome();

  long times_put_aside_ = 0;
  Clock::time_point looked_{};
  Clock::time_point put_aside_{};
  static std::atomic<Clock::rep> s_others_until;
};

template <typename Done>
bool Patience::Spin(Clock::duration expected, bool is_urgent, Done const& done) {
  constexpr int kLooks = 32;  // at done() for one at the clock and at who else is there, which take as long
  if (HaveOthersCome()) return done();
  auto const begin = Clock::now();
  for (auto before = begin;;) {
    for (int look = 0; look < kLooks; ++look) {
      if (done()) return true;
      Pause();
    }
    if (!is_urgent) sched_yield();
    auto const now = Clock::now();
    if (now - begin > expected || now - before > kGap) return false;
    before = now;
  }
}

}  // namespace kauri
