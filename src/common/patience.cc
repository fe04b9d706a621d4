#include "common/patience.h"

#include <sys/resource.h>

namespace kauri {

std::atomic<Patience::Clock::rep> Patience::s_others_until{0};

bool Patience::HaveOthersCome() {
  auto const now = Clock::now();
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  auto const times = usage.ru_nivcsw - times_put_aside_;
  if (times > 0) {
    auto const is_second = now - put_aside_ < kLately || (times > 1 && now - looked_ < kLately);
    if (is_second) s_others_until.store((now + kLately).time_since_epoch().count(), std::memory_order_relaxed);
    times_put_aside_ = usage.ru_nivcsw;
    put_aside_ = now;
  }
  looked_ = now;
  return now.time_since_epoch().count() < s_others_until.load(std::memory_order_relaxed);
}

}  // namespace kauri
