/// \file Decides how many threads a request gets, and whether a step is worth more than one thread.
#pragma once

#include <cstdint>
#include <string>

#include "kauri/context.h"

namespace kauri {

/// Returns the number of processors in this process's affinity mask, limited by the control group's quota.
int NumProcessors();

/// Returns the maximum number of threads for any request: four per processor this process may use, and 256 at least, so
/// that results can be compared for several counts on a small machine. More threads never compute faster; thousands
/// stall the machine. OMP_THREAD_LIMIT may lower it.
int MaxThreads();

/// Returns `wanted`, at most MaxThreads(); for 0 or below OMP_NUM_THREADS of the environment, else NumProcessors().
int NumThreadsFor(std::int64_t wanted);

/// Returns the first count in a list as in OMP_NUM_THREADS ("4" or "4,2"); 0 if it has none.
int ThreadsInText(char const* text);

/// Returns `ctx`, with a single thread if the step has so few simple operations, of about a nanosecond each, that
/// waking the other threads and waiting for them costs as much: measured 1.2 microseconds for two threads, 5 for
/// sixteen.
inline Context ThreadsFor(Context const& ctx, double operations) {
  constexpr double kWorthATeam = 15000.0;
  auto chosen = ctx;
  if (operations < kWorthATeam) chosen.threads = 1;
  return chosen;
}

// The CPU time that a control group (a container, a service, a batch job) grants its processes.

/// Returns the CPU time, in processors, that this process's control group and all its ancestors grant: the minimum over
/// them; 0 if none sets a bound or the bounds cannot be read. Supports version 2 (cpu.max) and 1 (cpu.cfs_quota_us and
/// cpu.cfs_period_us). `root` is a prefix of every path, for tests; "" is the machine.
double CpuQuota(std::string const& root);

}  // namespace kauri
