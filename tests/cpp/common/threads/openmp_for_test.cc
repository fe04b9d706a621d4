#include "common/threads/openmp_for.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "common/threads/in_child.h"

namespace kauri {
namespace {

using testing::InChild;
using testing::NumThreads;
using testing::OneThreadRemains;

Context OnThreads(int threads) {
  Context ctx;
  ctx.threads = threads;
  return ctx;
}

/// Asks OpenMP itself whether the calling thread is in a region of several threads.
bool IsInRegion() {
  static auto* const ask = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_in_parallel"));
  return ask != nullptr && ask() != 0;
}

/// Returns the number of items that ran in a region of OpenMP; -1 if an item did not run exactly once.
std::int64_t ItemsInRegion(int threads, std::int64_t n = 64) {
  std::vector<std::atomic<int>> times(static_cast<std::size_t>(n));
  std::atomic<std::int64_t> in_region{0};
  OpenMpForBlocks(OnThreads(threads), n, 3, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (auto i = begin; i < end; ++i) ++times[static_cast<std::size_t>(i)];
    if (IsInRegion()) in_region += end - begin;
  });
  for (auto const& count : times) {
    if (count != 1) return -1;
  }
  return in_region;
}

class OpenMpFor : public ::testing::Test {
 protected:
  void SetUp() override { KAURI_SKIP_UNLESS(HasOpenMp(), "a build without OpenMP"); }
};

TEST_F(OpenMpFor, ItemsRunOnceAndInARegion) {
  for (auto const threads : {2, 3, 8}) EXPECT_EQ(ItemsInRegion(threads), 64) << threads;
  EXPECT_EQ(ItemsInRegion(1), 0);
  EXPECT_EQ(ItemsInRegion(4, 3), 0) << "one block needs no region";
  EXPECT_EQ(ItemsInRegion(4, 0), 0);
}

TEST_F(OpenMpFor, ThreadsHaveDifferentIndices) {
  std::vector<std::atomic<bool>> taken(3);
  std::atomic<bool> is_wrong{false};
  OpenMpForBlocks(OnThreads(3), 300, 1, [&](std::int64_t, std::int64_t, std::int64_t) {
    auto& place = taken.at(static_cast<std::size_t>(ThreadIndex()));
    if (place.exchange(true)) is_wrong = true;
    std::this_thread::sleep_for(std::chrono::microseconds(10));
    place = false;
  });
  EXPECT_FALSE(is_wrong);
}

TEST_F(OpenMpFor, TheExceptionOfTheLowestBlockReachesTheCaller) {
  try {
    OpenMpForBlocks(OnThreads(4), 300, 1, [](std::int64_t, std::int64_t, std::int64_t block) {
      if (block % 7 == 5) throw std::runtime_error(std::to_string(block));
    });
    FAIL() << "nothing was thrown";
  } catch (std::runtime_error const& error) {
    EXPECT_STREQ(error.what(), "5");
  }
  EXPECT_EQ(ItemsInRegion(4), 64);
}

TEST_F(OpenMpFor, LoopsWithinRunOnTheirThread) {
  std::atomic<int> elsewhere{0};
  OpenMpForBlocks(OnThreads(3), 12, 1, [&](std::int64_t, std::int64_t, std::int64_t) {
    auto const outer = std::this_thread::get_id();
    ParallelFor(OnThreads(3), 5, [&](std::int64_t) { elsewhere += std::this_thread::get_id() == outer ? 0 : 1; });
  });
  ParallelFor(OnThreads(3), 12, [&](std::int64_t) { elsewhere += ItemsInRegion(3) == 0 ? 0 : 1; });
  EXPECT_EQ(elsewhere, 0);
}

/// The threads that OpenMP keeps for a thread are missing in its children, where new regions wait for them.
TEST_F(OpenMpFor, AChildHasARegionToo) {
  ASSERT_EQ(ItemsInRegion(4), 64);
  EXPECT_EQ(InChild([] { return ItemsInRegion(4) == 64 && InChild([] { return ItemsInRegion(3) == 64; }) == 0; }), 0);
  EXPECT_EQ(ItemsInRegion(2), 64);
}

/// Does what another library of the process may do: uses OpenMP by itself, before the fork.
TEST_F(OpenMpFor, AChildHasARegionWhereAnotherLibraryUsedOpenMp) {
  using Region = void (*)(void (*)(void*), void*, unsigned, unsigned);
  auto* const begin_region = reinterpret_cast<Region>(dlsym(RTLD_DEFAULT, "GOMP_parallel"));
  KAURI_SKIP_UNLESS(begin_region != nullptr, "OpenMP is not GNU's");
  // The threads of the region stay, so it is the first child's.
  EXPECT_EQ(InChild([&] {
              std::atomic<int> n_threads{0};
              begin_region([](void* count) { ++*static_cast<std::atomic<int>*>(count); }, &n_threads, 4, 0);
              return n_threads == 4 && NumThreads() == 4 && InChild([] { return ItemsInRegion(4) == 64; }) == 0;
            }),
            0);
}

TEST_F(OpenMpFor, AChildOfAParentWithinRegionsHasARegion) {
  std::atomic<bool> ends{false};
  std::thread busy([&] {
    while (!ends) ItemsInRegion(3);
  });
  for (int repeat = 0; repeat < 10; ++repeat) {
    EXPECT_EQ(InChild([] { return ItemsInRegion(3) == 64; }), 0) << repeat;
  }
  ends = true;
  busy.join();
}

/// OpenMP would end the process.
TEST_F(OpenMpFor, WithoutThreadsTheCallerDoesItAll) {
  EXPECT_EQ(InChild([] {
              if (geteuid() == 0 && setuid(65534) != 0) return false;
              rlimit const none{0, 0};
              if (setrlimit(RLIMIT_NPROC, &none) != 0) return false;
              return ItemsInRegion(8) == 0 && OneThreadRemains();
            }),
            0);
}

TEST_F(OpenMpFor, NoThreadOutlivesItsRegion) {
  EXPECT_EQ(InChild([] {
              for (auto const threads : {2, 16, 3}) ItemsInRegion(threads);
              return OneThreadRemains();
            }),
            0);
}

}  // namespace
}  // namespace kauri
