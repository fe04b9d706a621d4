#include "common/threads/parallel_for.h"

#include <algorithm>

#include "common/threads/per_thread.h"
#include "common/threads/team.h"

namespace kauri {
namespace detail {
namespace {

constexpr int kOutside = -1;
KAURI_STATIC_THREAD_LOCAL int t_index = kOutside;

void RunHere(std::int64_t n_blocks, RunBlock run, void* loop) {
  for (std::int64_t block = 0; block < n_blocks; ++block) run(loop, block);
}

}  // namespace

InLoop::InLoop(int index) : before_(t_index) { t_index = index; }
InLoop::~InLoop() { t_index = before_; }

void RunBlocksOn(RunTeam team, int threads, std::int64_t n_blocks, RunBlock run, void* loop) {
  if (t_index > 0) {  // scratch memory of this loop has a place only for its own threads, so use one
    InLoop const first(0);
    return RunHere(n_blocks, run, loop);
  }
  if (threads <= 1 || n_blocks <= 1 || t_index != kOutside) return RunHere(n_blocks, run, loop);
  FirstException first;
  team(static_cast<int>(std::min<std::int64_t>(threads, n_blocks)), {run, loop, n_blocks, &first});
  first.Rethrow();
}

void RunBlocks(int threads, std::int64_t n_blocks, RunBlock run, void* loop) {
  RunBlocksOn(RunOnTeam, threads, n_blocks, run, loop);
}

}  // namespace detail

int ThreadIndex() { return std::max(0, detail::t_index); }

}  // namespace kauri
