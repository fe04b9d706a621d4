/// \file What ParallelFor asks of the threads behind it. KAURI_THREADS chooses them when the build is configured:
/// `pool` (worker_pool.cc), or `openmp` (openmp_team.cc) to compare with.
#pragma once

#include <cstdint>
#include <exception>
#include <mutex>

#include "common/parallel_for.h"

namespace kauri::detail {

/// Keeps the exception of the lowest block.
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

/// What to do with each block. Of what it points to nothing lives on when all blocks are done.
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

/// Where a thread is: while one of these lives, inside a loop and with this index.
class InLoop {
 public:
  explicit InLoop(int index);
  ~InLoop();
  InLoop(InLoop const&) = delete;
  InLoop& operator=(InLoop const&) = delete;

 private:
  int before_;
};

/// Runs every block once, on the calling thread and at most threads - 1 others, each InLoop with an index of its own
/// below `threads`, in the order of blocks; returns when all are done. `threads` and the blocks are at least 2.
void RunOnTeam(int threads, TeamWork const& work);

/// Whether RunOnTeam is OpenMP's.
bool TeamIsOpenMp();

}  // namespace kauri::detail
