/// \file When a step is worth more than one thread.
#pragma once

#include "kauri/context.h"

namespace kauri {

/// `ctx`, with a single thread where the step is so few simple operations, of about a nanosecond, that waking the
/// others and waiting for them costs as much. All threads or one: OpenMP ends those that a smaller team leaves out.
inline Context ThreadsFor(Context const& ctx, double operations) {
  constexpr double kPerThread = 15000.0;
  auto chosen = ctx;
  if (operations < kPerThread * ctx.threads) chosen.threads = 1;
  return chosen;
}

}  // namespace kauri
