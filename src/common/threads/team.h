/// \file The interface between ParallelFor and its threads. KAURI_THREADS chooses them when the build is configured:
/// `pool` (worker_pool.cc), or `openmp` (openmp_throughout.cc) for comparisons. OpenMpForBlocks uses OpenMP's either
/// way.
#pragma once

#include <cstdint>
#include <exception>
#include <mutex>

#include "common/threads/parallel_for.h"

namespace kauri::detail {

/// The exception of the lowest block.
class FirstException {
 public:
  void Keep(std::int64_t block) {
    std::lock_guard<std::mutex> const lock(mutex_);
    if (exception_ != nullptr && block >= block_) return;
    exception_ = std::current_exception();
    block_ = block;
  }
  void Rethrow() const {
    if (exception_ != nullptr) std::rethrow_exception(exception_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr exception_;
  std::int64_t block_ = 0;
};

/// The work on each block. The objects that it points to may be gone once all blocks are done.
struct TeamWork {
  RunBlock run;
  void* loop;
  std::int64_t n_blocks;
  FirstException* first;

  void Run(std::int64_t block) const noexcept {
    try {
      run(loop, block);
    } catch (...) {
      first->Keep(block);
    }
  }
};

/// Marks a thread as inside a loop, with this index, for the lifetime of the object.
class InLoop {
 public:
  explicit InLoop(int index);
  ~InLoop();
  InLoop(InLoop const&) = delete;
  InLoop& operator=(InLoop const&) = delete;

 private:
  int before_;
};

/// Runs every block once, on the calling thread and at most threads - 1 others, each InLoop with its own index below
/// `threads`, in the order of blocks. Returns when all are done. `threads` and the number of blocks are at least 2.
void RunOnTeam(int threads, TeamWork const& work);

/// Does the same as RunOnTeam, on the threads that OpenMP keeps for the calling thread. Only in a build with OpenMP.
void RunOpenMpRegion(int threads, TeamWork const& work);

using RunTeam = void (*)(int threads, TeamWork const& work);

/// Calls run(loop, block) once for each of the blocks: with `team` if there are several blocks and threads, and unless
/// the caller is within a loop. Rethrows the exception of the lowest block that has one.
void RunBlocksOn(RunTeam team, int threads, std::int64_t n_blocks, RunBlock run, void* loop);

}  // namespace kauri::detail
