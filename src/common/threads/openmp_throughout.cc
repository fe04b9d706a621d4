/// \file OpenMP's threads behind every loop (KAURI_THREADS=openmp), to compare with. They spin while they wait, as long
/// as the runtime decides. They are missing after fork(), so loops in the child wait for ever. If no thread can be
/// started, the runtime ends the process. Each calling thread has its own team.
#include "common/threads/team.h"

namespace kauri::detail {

void RunOnTeam(int threads, TeamWork const& work) { RunOpenMpRegion(threads, work); }

}  // namespace kauri::detail
