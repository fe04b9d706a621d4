/// \file Decides whether a step is worth more than one thread.
#pragma once

#include "kauri/context.h"

namespace kauri {

/// Returns `ctx`, with a single thread if the step has so few simple operations, of about a nanosecond each, that
/// waking the other threads and waiting for them costs as much: measured 1.2 microseconds for two threads, 5 for
/// sixteen.
inline Context ThreadsFor(Context const& ctx, double operations) {
  constexpr double kWorthATeam = 15000.0;
  auto chosen = ctx;
  if (operations < kWorthATeam) chosen.threads = 1;
  return chosen;
}

}  // namespace kauri
