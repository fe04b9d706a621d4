/// \file When a step is worth more than one thread.
#pragma once

#include "kauri/context.h"

namespace kauri {

/// `ctx`, with a single thread where the step takes fewer simple operations than waking threads costs.
inline Context ThreadsFor(Context const& ctx, double operations) {
  constexpr double kWorthWaking = 200000.0;
  auto chosen = ctx;
  if (operations < kWorthWaking) chosen.threads = 1;
  return chosen;
}

}  // namespace kauri
