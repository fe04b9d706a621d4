/// \file How many threads a request for some number of them gets.
#pragma once

#include <cstdint>

namespace kauri {

/// Those that this process may use: its affinity mask's, and no more than the control group's quota pays for.
int NumProcessors();

/// The most threads that any request gets: four per processor this process may use, and 256 at least, so that results
/// can be compared for several counts on a small machine. More never compute faster; thousands stall the machine.
/// OMP_THREAD_LIMIT may say less.
int MaxThreads();

/// `wanted` threads, MaxThreads() at most; for 0 or below OMP_NUM_THREADS of the environment, else NumProcessors().
int NumThreadsFor(std::int64_t wanted);

/// The first of the counts that a variable such as OMP_NUM_THREADS lists ("4" or "4,2"); 0 if it has none.
int ThreadsInText(char const* text);

}  // namespace kauri
