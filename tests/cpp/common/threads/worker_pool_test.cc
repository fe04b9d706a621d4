/// Properties that OpenMP's threads lack: forks, machines that start no more threads, and exits at any time.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <thread>

#include "common/threads/in_child.h"
#include "common/threads/parallel_for.h"

namespace kauri {
namespace {

using testing::InChild;
using testing::kSecondsToHang;
using testing::NumThreads;

/// Returns whether a loop completes, on up to `threads` threads.
bool LoopWorks(int threads) {
  Context ctx;
  ctx.threads = threads;
  std::atomic<std::int64_t> sum{0};
  ParallelFor(ctx, 100, [&](std::int64_t i) {
    sum += i;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  });
  return sum == 4950;
}

TEST(WorkerPool, AChildWorks) {
  KAURI_TEST_IN_CHILD();
  ASSERT_TRUE(LoopWorks(4));
  EXPECT_EQ(InChild([] { return LoopWorks(4) && NumThreads() == 4; }), 0);
  EXPECT_TRUE(LoopWorks(4));
}

TEST(WorkerPool, AChildOfAChildWorks) {
  KAURI_TEST_IN_CHILD();
  ASSERT_TRUE(LoopWorks(3));
  EXPECT_EQ(InChild([] { return LoopWorks(3) && InChild([] { return LoopWorks(5); }) == 0 && LoopWorks(2); }), 0);
}

TEST(WorkerPool, AChildOfAParentWithinLoopsWorks) {
  KAURI_TEST_IN_CHILD();
  std::atomic<bool> ends{false};
  std::thread busy([&] {
    while (!ends) LoopWorks(3);
  });
  for (int repeat = 0; repeat < 20; ++repeat) {
    EXPECT_EQ(InChild([] { return LoopWorks(3) && LoopWorks(8); }), 0) << repeat;
  }
  ends = true;
  busy.join();
}

/// Simulates a user who may not start more threads. The child has no threads from earlier tests.
TEST(WorkerPool, WithoutThreadsTheCallerDoesItAll) {
  KAURI_TEST_IN_CHILD();
  EXPECT_EQ(InChild([] {
              if (geteuid() == 0 && setuid(65534) != 0) return false;
              rlimit const none{0, 0};
              if (setrlimit(RLIMIT_NPROC, &none) != 0) return false;
              return LoopWorks(8) && LoopWorks(8) && NumThreads() == 1;
            }),
            0);
}

TEST(WorkerPool, ThreadsThatCouldNotBeStartedAreStartedLater) {
  KAURI_TEST_IN_CHILD();
  EXPECT_EQ(InChild([] {
              rlimit before{};
              getrlimit(RLIMIT_NPROC, &before);
              rlimit const none{0, before.rlim_max};
              if (geteuid() == 0 && setresuid(65534, 65534, 0) != 0) return false;
              if (setrlimit(RLIMIT_NPROC, &none) != 0 || !LoopWorks(3) || NumThreads() != 1) return false;
              if (setrlimit(RLIMIT_NPROC, &before) != 0) return false;
              std::this_thread::sleep_for(std::chrono::milliseconds(150));
              return LoopWorks(3) && NumThreads() == 3;
            }),
            0);
}

TEST(WorkerPool, ThereAreNoMoreWorkersThanTheLargestLoopNeeds) {
  KAURI_TEST_IN_CHILD();
  EXPECT_EQ(InChild([] {
              for (auto const threads : {2, 40, 5, 40}) LoopWorks(threads);
              return NumThreads() == 40;
            }),
            0);
}

TEST(WorkerPool, WorkersThatWaitTakeNoTime) {
  ASSERT_TRUE(LoopWorks(8));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  auto const before = std::clock();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC, 0.02);
}

std::atomic<int> g_signals_elsewhere{0};
pthread_t g_main_thread;

TEST(WorkerPool, SignalsGoToTheProgramsOwnThreads) {
  ASSERT_TRUE(LoopWorks(8));
  g_main_thread = pthread_self();
  auto* const before = std::signal(SIGUSR1, [](int) {
    if (pthread_equal(pthread_self(), g_main_thread) == 0) ++g_signals_elsewhere;
  });
  sigset_t mine;
  sigemptyset(&mine);
  sigaddset(&mine, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &mine, nullptr);  // a signal would go to another thread if possible
  kill(getpid(), SIGUSR1);
  LoopWorks(8);
  pthread_sigmask(SIG_UNBLOCK, &mine, nullptr);
  std::signal(SIGUSR1, before);
  EXPECT_EQ(g_signals_elsewhere, 0);
}

/// Workers that spin, sleep or work do not prevent a clean exit.
TEST(WorkerPool, AProcessEndsAtAnyTime) {
  KAURI_TEST_IN_CHILD();
  for (int repeat = 0; repeat < 10; ++repeat) {
    auto const child = fork();
    if (child == 0) {
      alarm(kSecondsToHang);
      std::thread([] {
        while (true) LoopWorks(4);
      }).detach();
      std::this_thread::sleep_for(std::chrono::milliseconds(repeat));
      std::exit(LoopWorks(3) ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    ASSERT_EQ(status, 0) << repeat;
  }
}

}  // namespace
}  // namespace kauri
