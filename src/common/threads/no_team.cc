/// \file No threads behind the loops (KAURI_THREADS=none), for systems that have none: the calling thread runs every
/// block, in their order.
#include "common/threads/team.h"

namespace kauri::detail {

void RunOnTeam(int /*threads*/, TeamWork const& work) {
  InLoop const first(0);
  for (std::int64_t block = 0; block < work.n_blocks; ++block) work.Run(block);
}

}  // namespace kauri::detail
