/// \file Decides how many threads a request gets.
#pragma once

#include <cstdint>

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

}  // namespace kauri
