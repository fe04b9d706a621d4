#include "common/threads/parallel_for.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace kauri {
namespace {

Context Threads(int threads) {
  Context ctx;
  ctx.threads = threads;
  return ctx;
}

constexpr int kCounts[] = {1, 2, 3, 8, 257};

TEST(ParallelFor, EveryItemOnce) {
  for (auto const threads : kCounts) {
    for (std::int64_t const n : {0, 1, 2, 31, 256, 257, 1000}) {
      std::vector<std::atomic<int>> times(n);
      ParallelFor(Threads(threads), n, [&](std::int64_t i) { ++times[i]; });
      for (auto const& count : times) ASSERT_EQ(count, 1) << threads << " threads, " << n;
    }
  }
}

TEST(ParallelFor, BlocksDependOnTheNumberOfItemsOnly) {
  for (auto const threads : kCounts) {
    std::vector<std::int64_t> begins(4, -1);
    std::vector<std::int64_t> ends(4, -1);
    ParallelForBlocks(Threads(threads), 31, 10, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
      begins[block] = begin;
      ends[block] = end;
    });
    EXPECT_EQ(begins, (std::vector<std::int64_t>{0, 10, 20, 30})) << threads;
    EXPECT_EQ(ends, (std::vector<std::int64_t>{10, 20, 30, 31})) << threads;
  }
}

/// Records whether two threads of a loop ever have the same index, or one outside its scratch memory.
class Places {
 public:
  explicit Places(int n) : taken_(static_cast<std::size_t>(n)) {}

  void Visit() {
    auto const index = ThreadIndex();
    if (index < 0 || index >= static_cast<int>(taken_.size())) {
      wrong_ = true;
      return;
    }
    auto& taken = taken_[index];
    if (taken.exchange(true)) wrong_ = true;
    for (auto const end = std::chrono::steady_clock::now() + std::chrono::microseconds(20);
         std::chrono::steady_clock::now() < end;) {
    }
    taken = false;
  }
  bool AreRight() const { return !wrong_; }

 private:
  std::vector<std::atomic<bool>> taken_;
  std::atomic<bool> wrong_{false};
};

TEST(ParallelFor, ThreadsOfALoopHaveDifferentIndices) {
  for (auto const threads : kCounts) {
    Places places(threads);
    for (int repeat = 0; repeat < 20; ++repeat) {
      ParallelFor(Threads(threads), 300, [&](std::int64_t) { places.Visit(); });
    }
    EXPECT_TRUE(places.AreRight()) << threads;
  }
}

TEST(ParallelFor, TheCallerIsTheFirstAndOutsideOfLoopsToo) {
  EXPECT_EQ(ThreadIndex(), 0);
  auto const caller = std::this_thread::get_id();
  ParallelFor(Threads(8), 100, [&](std::int64_t) {
    if (std::this_thread::get_id() == caller) {
      EXPECT_EQ(ThreadIndex(), 0);
    }
  });
  EXPECT_EQ(ThreadIndex(), 0);
}

TEST(ParallelFor, OthersHelp) {
  std::atomic<int> others{0};
  auto const caller = std::this_thread::get_id();
  ParallelFor(Threads(4), 200, [&](std::int64_t) {
    if (std::this_thread::get_id() != caller) ++others;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  EXPECT_GT(others, 20);
}

/// A loop within a block runs on its caller's thread, the only thread of that loop, because its scratch memory may have
/// room for one thread only.
TEST(ParallelFor, LoopsWithinBlocksRunThere) {
  for (auto const inner_threads : {1, 8}) {
    std::atomic<int> elsewhere{0};
    std::atomic<int> other_index{0};
    std::atomic<int> changed_index{0};
    std::atomic<int> visits{0};
    ParallelFor(Threads(8), 64, [&](std::int64_t) {
      auto const outer = std::this_thread::get_id();
      auto const index = ThreadIndex();
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      ParallelFor(Threads(inner_threads), 5, [&](std::int64_t) {
        ++visits;
        if (std::this_thread::get_id() != outer) ++elsewhere;
        if (ThreadIndex() != 0) ++other_index;
      });
      if (ThreadIndex() != index) ++changed_index;
    });
    EXPECT_EQ(visits, 64 * 5);
    EXPECT_EQ(elsewhere, 0) << inner_threads;
    EXPECT_EQ(other_index, 0) << inner_threads;
    EXPECT_EQ(changed_index, 0) << inner_threads;
  }
}

TEST(ParallelFor, ALoopOfOneBlockDoesNotKeepLoopsWithinFromThreads) {
  std::atomic<int> others{0};
  auto const caller = std::this_thread::get_id();
  ParallelFor(Threads(4), 1, [&](std::int64_t) {
    ParallelFor(Threads(4), 100, [&](std::int64_t) {
      if (std::this_thread::get_id() != caller) ++others;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
  });
  EXPECT_GT(others, 0);
}

TEST(ParallelFor, TheExceptionOfTheLowestBlockWins) {
  for (auto const threads : kCounts) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      try {
        ParallelFor(Threads(threads), 300, [](std::int64_t i) {
          if (i % 7 == 5) throw std::runtime_error(std::to_string(i));
        });
        FAIL() << "nothing was thrown";
      } catch (std::runtime_error const& error) {
        EXPECT_STREQ(error.what(), "5") << threads;
      }
    }
  }
}

TEST(ParallelFor, ExceptionsOfAnyKindPass) {
  EXPECT_THROW(ParallelFor(Threads(8), 50, [](std::int64_t) { throw 7; }), int);
  int sum = 0;
  ParallelFor(Threads(1), 3, [&](std::int64_t i) { sum += static_cast<int>(i); });
  EXPECT_EQ(sum, 3);
}

TEST(ParallelFor, ManyThreadsMayAskAtOnce) {
  constexpr int kCallers = 12;
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int caller = 0; caller < kCallers; ++caller) {
    callers.emplace_back([&, caller] {
      auto const threads = 1 + caller % 5;
      Places places(threads);
      for (int repeat = 0; repeat < 300; ++repeat) {
        std::vector<std::int64_t> values(1 + (repeat * 7 + caller) % 40);
        ParallelFor(Threads(threads), static_cast<std::int64_t>(values.size()), [&](std::int64_t i) {
          if (repeat % 50 == 0) places.Visit();
          values[i] = i + 1;
        });
        for (std::size_t i = 0; i < values.size(); ++i) wrong += values[i] == static_cast<std::int64_t>(i) + 1 ? 0 : 1;
      }
      wrong += places.AreRight() ? 0 : 1;
    });
  }
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

/// A caller that is inside a block does not delay the loops of others.
TEST(ParallelFor, CallersDoNotWaitForEachOther) {
  std::atomic<bool> may_end{false};
  std::thread holder([&] {
    ParallelFor(Threads(4), 4, [&](std::int64_t) {
      while (!may_end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
  });
  std::atomic<int> done{0};
  for (int repeat = 0; repeat < 100; ++repeat) ParallelFor(Threads(4), 16, [&](std::int64_t) { ++done; });
  EXPECT_EQ(done, 1600);
  may_end = true;
  holder.join();
}

/// Runs loops of all lengths after pauses of all lengths: workers spin, fall asleep, or wake up too late.
TEST(ParallelFor, ShortAndLongLoopsAndPauses) {
  std::atomic<std::int64_t> sum{0};
  std::int64_t expected = 0;
  for (int repeat = 0; repeat < 3000; ++repeat) {
    auto const n = 2 + repeat % 17;
    ParallelFor(Threads(2 + repeat % 7), n, [&](std::int64_t i) { sum += i; });
    expected += static_cast<std::int64_t>(n) * (n - 1) / 2;
    ASSERT_EQ(sum, expected);
    if (repeat % 10 == 0) std::this_thread::sleep_for(std::chrono::microseconds(repeat % 400));
  }
}

/// Every block waits until the block before it has ended.
TEST(ParallelFor, BlocksMayWaitForBlocksBeforeThem) {
  for (auto const threads : kCounts) {
    for (std::int64_t const n : {2, 7, 300}) {
      std::atomic<std::int64_t> ended{0};
      std::atomic<bool> is_late{false};
      auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
      ParallelFor(Threads(threads), n, [&](std::int64_t i) {
        while (ended < i && !is_late) {
          is_late = is_late || std::chrono::steady_clock::now() > end;
          std::this_thread::yield();
        }
        ++ended;
      });
      ASSERT_FALSE(is_late) << threads << " threads, " << n;
    }
  }
}

TEST(ParallelFor, SmallTeamsAfterLargeOnes) {
  for (int repeat = 0; repeat < 30; ++repeat) {
    for (auto const threads : {8, 2, 3, 8}) {
      std::atomic<int> count{0};
      Places places(threads);
      ParallelFor(Threads(threads), 40, [&](std::int64_t) {
        places.Visit();
        ++count;
      });
      ASSERT_EQ(count, 40);
      ASSERT_TRUE(places.AreRight()) << threads;
    }
  }
}

}  // namespace
}  // namespace kauri
