/// \file How many threads a request for some number of them gets.
#pragma once

#include <cstdint>

namespace kauri {

/// The most threads that any request gets: four per processor this process may use, and 256 at least, so that results
/// can be compared for several counts on a small machine. More never compute faster; thousands stall the machine.
int MaxThreads();

/// `wanted` threads, MaxThreads() at most; for 0 or below what OpenMP would take: all cores, or OMP_NUM_THREADS.
int NumThreadsFor(std::int64_t wanted);

}  // namespace kauri
