#include "common/threads/threads.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

namespace kauri {
namespace {

TEST(Threads, SensibleCountsAreTaken) {
  for (std::int64_t const wanted : {1, 2, 3, 64}) EXPECT_EQ(NumThreadsFor(wanted), wanted);
  EXPECT_EQ(NumThreadsFor(MaxThreads()), MaxThreads());
}

TEST(Threads, HugeCountsAreNot) {
  for (std::int64_t const wanted : {std::int64_t{MaxThreads()} + 1, std::int64_t{1000000}, std::int64_t{1} << 32,
                                    std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_EQ(NumThreadsFor(wanted), MaxThreads()) << wanted;
  }
}

/// Runs each case in a fresh process, because the environment is read only once.
int InFreshProcess(char const* num_threads, char const* limit, std::int64_t wanted) {
  auto const child = fork();
  if (child == 0) {
    num_threads != nullptr ? setenv("OMP_NUM_THREADS", num_threads, 1) : unsetenv("OMP_NUM_THREADS");
    limit != nullptr ? setenv("OMP_THREAD_LIMIT", limit, 1) : unsetenv("OMP_THREAD_LIMIT");
    char const* const program = "/proc/self/exe";
    setenv("KAURI_TEST_WANTED", std::to_string(wanted).c_str(), 1);
    execl(program, program, "--gtest_filter=Threads.DISABLED_Answer", "--gtest_also_run_disabled_tests", nullptr);
    _exit(99);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Threads, DISABLED_Answer) {
  auto const* const wanted = std::getenv("KAURI_TEST_WANTED");
  ASSERT_NE(wanted, nullptr) << "the other tests run it, in a process of its own";
  _exit(NumThreadsFor(std::strtoll(wanted, nullptr, 10)));
}

TEST(Threads, NoneMeansWhatTheEnvironmentSays) {
  for (std::int64_t const wanted : {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::min()}) {
    EXPECT_EQ(InFreshProcess("3", nullptr, wanted), 3) << wanted;
  }
  EXPECT_EQ(InFreshProcess("5,2", nullptr, 0), 5);
  EXPECT_EQ(InFreshProcess("100", "7", 0), 7);
  EXPECT_EQ(InFreshProcess("4", "7", 6), 6);
  EXPECT_EQ(InFreshProcess(nullptr, "1", 6), 1);
}

TEST(Threads, ElseAllProcessors) {
  for (char const* const nothing : {static_cast<char const*>(nullptr), "", "0", "-2", "many", "3x"}) {
    EXPECT_EQ(InFreshProcess(nothing, nullptr, 0), NumProcessors());
  }
}

TEST(Threads, OnlyThoseOfTheAffinityMask) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(NumProcessors(), 1);
  EXPECT_EQ(InFreshProcess(nullptr, nullptr, 0), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
}

TEST(Threads, CountsInText) {
  EXPECT_EQ(ThreadsInText(nullptr), 0);
  EXPECT_EQ(ThreadsInText(""), 0);
  EXPECT_EQ(ThreadsInText(" 12 "), 12);
  EXPECT_EQ(ThreadsInText("4,2"), 4);
  EXPECT_EQ(ThreadsInText("99999999999999999999"), 0);
  EXPECT_EQ(ThreadsInText("9999999999"), std::numeric_limits<int>::max());
  EXPECT_EQ(ThreadsInText("4 cores"), 0);
}

}  // namespace
}  // namespace kauri
