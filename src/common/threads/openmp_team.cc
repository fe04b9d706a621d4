/// \file OpenMP's threads behind ParallelFor: the baseline of measurements. They spin while they wait, as long as the
/// runtime decides. They are missing after fork(), so loops in the child wait for ever. If no thread can be started,
/// the runtime ends the process. Each calling thread has its own team.
#include <omp.h>

#include <cstdint>

#include "common/threads/per_thread.h"
#include "common/threads/team.h"

namespace kauri::detail {

void RunOnTeam(int threads, TeamWork const& work) {
#pragma omp parallel num_threads(threads)
  {
    PrepareForExceptions();
    InLoop const place(omp_get_thread_num());
#pragma omp for schedule(dynamic, 1) nowait
    for (std::int64_t block = 0; block < work.n_blocks; ++block) work.Run(block);
  }
}

bool TeamIsOpenMp() { return true; }

}  // namespace kauri::detail
