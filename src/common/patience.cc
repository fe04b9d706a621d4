#include "common/patience.h"

#include <sys/resource.h>

namespace kauri {

std::atomic<Patience::Clock::rep> Patience::s_others_until{0};

bool Patience::HaveOthersCome() {
  auto const now = Clock::now();
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  if (usage.ru_nivcsw != times_put_aside_) {
    times_put_aside_ = usage.ru_nivcsw;
    s_others_until.store((now + kLately).time_since_epoch().count(), std::memory_order_relaxed);
  }
  return now.time_since_epoch().count() < s_others_until.load(std::memory_order_relaxed);
}

}  // namespace kauri
