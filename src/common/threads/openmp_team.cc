/// \file The threads of OpenMP, for the baseline of openmp_for.h.
///
/// GNU's runtime keeps the threads of a team for the thread that began it. It has two properties that a library cannot
/// afford:
/// 1. In the child of a fork() the kept threads are missing, and the next region of the forking thread waits for them
///    for ever. So each region is begun by a new thread, for which the runtime starts a new team. That works in every
///    child, even if another library of the process used OpenMP before.
/// 2. If a thread cannot be started, the runtime ends the process. So as many threads as the region needs are started
///    and ended before, and without them there is no region.
/// Both take about 20 microseconds per thread. No thread of the team outlives the region, so none spins after it.
#include "common/threads/openmp_for.h"
#include "common/threads/per_thread.h"
#include "common/threads/team.h"

#ifdef _OPENMP
#include <omp.h>
#include <pthread.h>

#include <atomic>
#include <csignal>
#include <vector>

#include "common/threads/waits.h"
#endif

namespace kauri {
namespace detail {
#ifdef _OPENMP

void RunOpenMpRegion(int threads, TeamWork const& work) {
#pragma omp parallel num_threads(threads)
  {
    PrepareForExceptions();
    InLoop const place(omp_get_thread_num());
#pragma omp for schedule(monotonic : dynamic, 1) nowait
    for (std::int64_t block = 0; block < work.n_blocks; ++block) work.Run(block);
  }
}

namespace {

/// Blocks the signals that a program handles, for the lifetime of the object. New threads inherit this.
class WithoutSignals {
 public:
  WithoutSignals() {
    sigset_t signals;
    sigfillset(&signals);
    for (auto const fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) sigdelset(&signals, fault);
    pthread_sigmask(SIG_SETMASK, &signals, &before_);
  }
  ~WithoutSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  WithoutSignals(WithoutSignals const&) = delete;
  WithoutSignals& operator=(WithoutSignals const&) = delete;

 private:
  sigset_t before_{};
};

/// Starts a thread that handles no signals; the threads that it starts inherit this. The caller goes on handling them.
bool StartQuietly(pthread_t* thread, void* (*run)(void*), void* argument) {
  WithoutSignals const quiet;
  return pthread_create(thread, nullptr, run, argument) == 0;
}

/// Waits until the gate opens.
void* WaitAtGate(void* gate) {
  auto const* const word = static_cast<FutexWord const*>(gate);
  while (word->load(std::memory_order_acquire) == 0) FutexWait(word, 0);
  return nullptr;
}

/// Returns whether `threads` more threads can exist at the same time.
bool CanStart(int threads) {
  FutexWord gate{0};
  std::vector<pthread_t> started;
  started.reserve(static_cast<std::size_t>(threads));
  pthread_t thread{};
  while (started.size() < static_cast<std::size_t>(threads) && StartQuietly(&thread, WaitAtGate, &gate)) {
    started.push_back(thread);
  }
  gate.store(1, std::memory_order_release);
  FutexWakeAll(&gate);
  for (auto const waiting : started) pthread_join(waiting, nullptr);
  return started.size() == static_cast<std::size_t>(threads);
}

struct OpenMpRegion {
  int threads;
  TeamWork const* work;
};

void* BeginRegion(void* region) {
  auto const* const begun = static_cast<OpenMpRegion const*>(region);
  RunOpenMpRegion(begun->threads, *begun->work);
  return nullptr;
}

/// Runs every block once on OpenMP's threads and returns true, or returns false if they cannot be started.
bool RunOnNewTeam(int threads, TeamWork const& work) {
  if (!CanStart(threads)) return false;
  OpenMpRegion region{threads, &work};
  pthread_t thread{};
  if (!StartQuietly(&thread, BeginRegion, &region)) return false;
  pthread_join(thread, nullptr);
  return true;
}

}  // namespace

void RunBlocksOnOpenMp(int threads, std::int64_t n_blocks, RunBlock run, void* loop) {
  auto const run_on_team = [](int wanted, TeamWork const& work) {
    if (!RunOnNewTeam(wanted, work)) RunOnTeam(wanted, work);
  };
  RunBlocksOn(run_on_team, threads, n_blocks, run, loop);
}
#else

void RunBlocksOnOpenMp(int threads, std::int64_t n_blocks, RunBlock run, void* loop) {
  RunBlocks(threads, n_blocks, run, loop);
}
#endif

}  // namespace detail

bool HasOpenMp() {
#ifdef _OPENMP
  return true;
#else
  return false;
#endif
}

}  // namespace kauri
