#include "common/threads/threads.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "common/threads/cpu_quota.h"

namespace kauri {
namespace {

/// Computes a value at the first call. Threads that call concurrently compute the same value, without a lock that
/// fork() could copy.
template <typename Find>
int Once(std::atomic<int>* known, Find const& find) {
  constexpr int kNothing = -1;  // 0 means not computed yet
  auto value = known->load(std::memory_order_relaxed);
  if (value == 0) {
    auto const found = find();
    value = found > 0 ? found : kNothing;
    known->store(value, std::memory_order_relaxed);
  }
  return std::max(0, value);
}

/// Returns the number of threads that the quota allows; 0 without a quota.
int QuotaThreads() {
  static std::atomic<int> s_known{0};
  return Once(&s_known, [] {
    constexpr double kMost = 1 << 20;
    auto const quota = CpuQuota("");
    return quota > 0 ? static_cast<int>(std::min(kMost, std::ceil(quota))) : 0;
  });
}

int AskedFor() {
  static std::atomic<int> s_known{0};
  return Once(&s_known, [] { return ThreadsInText(std::getenv("OMP_NUM_THREADS")); });
}

int Limit() {
  static std::atomic<int> s_known{0};
  return Once(&s_known, [] { return ThreadsInText(std::getenv("OMP_THREAD_LIMIT")); });
}

int ProcessorsOfMask() {
  constexpr std::size_t kSets = 64;  // sets of 1024 processors each
  std::array<cpu_set_t, kSets> mask{};
  if (sched_getaffinity(0, sizeof(mask), mask.data()) == 0) return CPU_COUNT_S(sizeof(mask), mask.data());
  return static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
}

}  // namespace

int NumProcessors() {
  auto const quota = QuotaThreads();
  auto const mask = std::max(1, ProcessorsOfMask());
  return quota > 0 ? std::min(quota, mask) : mask;
}

int MaxThreads() {
  constexpr int kPerProcessor = 4;
  constexpr int kAtLeast = 256;
  auto const most = std::max(kAtLeast, kPerProcessor * ProcessorsOfMask());
  return Limit() > 0 ? std::min(Limit(), most) : most;
}

int NumThreadsFor(std::int64_t wanted) {
  if (wanted <= 0) wanted = AskedFor() > 0 ? AskedFor() : NumProcessors();
  return wanted == 1 ? 1 : static_cast<int>(std::min<std::int64_t>(wanted, MaxThreads()));
}

int ThreadsInText(char const* text) {
  if (text == nullptr) return 0;
  char* end = nullptr;
  errno = 0;
  auto const count = std::strtol(text, &end, 10);
  while (*end == ' ' || *end == '\t') ++end;
  auto const is_count = end != text && errno == 0 && (*end == '\0' || *end == ',');
  if (!is_count || count <= 0) return 0;
  return static_cast<int>(std::min<long>(count, std::numeric_limits<int>::max()));
}

}  // namespace kauri
