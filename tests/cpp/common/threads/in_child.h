/// \file Helpers for tests of threads in child processes.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "support/need.h"

#if defined(__SANITIZE_THREAD__)
#define KAURI_TEST_WITH_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KAURI_TEST_WITH_TSAN 1
#endif
#endif
/// ThreadSanitizer cannot start threads after a fork.
#ifdef KAURI_TEST_WITH_TSAN
#define KAURI_TEST_IN_CHILD() \
  KAURI_SKIP_UNLESS(false, "ThreadSanitizer starts no threads in the child of a process with threads")
#else
#define KAURI_TEST_IN_CHILD() static_cast<void>(0)
#endif

namespace kauri::testing {

constexpr unsigned kSecondsToHang = 20;

/// Returns the exit status of `work` in a child process (0 if it returns true); 1000 + signal if a signal ended it.
inline int InChild(std::function<bool()> const& work) {
  auto const child = fork();
  if (child == 0) {
    alarm(kSecondsToHang);
    _exit(work() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/// Returns the number of this process's threads.
inline int NumThreads() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "Threads:") break;
  }
  int count = 0;
  status >> count;
  return count;
}

/// Returns whether the process comes down to one thread within five seconds. The kernel still counts a joined thread
/// for a moment.
inline bool OneThreadRemains() {
  auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (NumThreads() != 1 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return NumThreads() == 1;
}

}  // namespace kauri::testing
