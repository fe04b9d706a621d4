#include "common/threads.h"

#include <omp.h>

#include <algorithm>

namespace kauri {

int MaxThreads() {
  constexpr int kPerProcessor = 4;
  constexpr int kAtLeast = 256;
  return std::max(kAtLeast, kPerProcessor * omp_get_num_procs());
}

int NumThreadsFor(std::int64_t wanted) {
  if (wanted <= 0) wanted = std::max(1, omp_get_max_threads());
  return static_cast<int>(std::min<std::int64_t>(wanted, MaxThreads()));
}

}  // namespace kauri
