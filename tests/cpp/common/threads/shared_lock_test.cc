#include "common/threads/shared_lock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "kauri/error.h"
#include "support/posix.h"

namespace kauri {
namespace {

TEST(SharedLock, OneChangesOrManyRead) {
  SharedLock lock;
  std::int64_t number = 0;  // not atomic, so that ThreadSanitizer detects races
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 3000; ++i) {
        if (t < 2) {
          LockHold const hold(&lock, Access::kChange, "number");
          ++number;
        } else {
          LockHold const hold(&lock, Access::kRead, "number");
          EXPECT_LE(number, 6000);
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(number, 6000);
}

TEST(SharedLock, ReadersHoldItTogether) {
  SharedLock lock;
  std::atomic<int> n_holding{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      LockHold const hold(&lock, Access::kRead, "thing");
      ++n_holding;
      while (n_holding < 3) std::this_thread::yield();
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST(SharedLock, AThreadReadsAgainAndIsRefusedToChange) {
  SharedLock lock;
  for (auto const access : {Access::kRead, Access::kChange}) {
    LockHold const hold(&lock, access, "thing");
    LockHold const again(&lock, Access::kRead, "thing");
    EXPECT_THROW(LockHold(&lock, Access::kChange, "thing"), Error);
    EXPECT_FALSE(lock.TryLockExclusive());
  }
  EXPECT_TRUE(lock.TryLockExclusive());
}

/// Two threads each hold one lock for reading and request the other's, for which a writer waits.
TEST(SharedLock, ReadersOfSeveralLocksPassWaitingWriters) {
  SharedLock locks[2];
  std::atomic<int> n_holding{0};
  std::atomic<int> n_done{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      LockHold const first(&locks[t], Access::kRead, "first");
      ++n_holding;
      while (n_holding < 4) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));  // by then the writers wait
      LockHold const second(&locks[1 - t], Access::kRead, "second");
      ++n_done;
    });
    threads.emplace_back([&, t] {
      while (n_holding < 2) std::this_thread::yield();
      ++n_holding;
      LockHold const hold(&locks[t], Access::kChange, "thing");
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(n_done, 2);
}

#if KAURI_TEST_POSIX
/// Returns the exit status of a child that runs `in_child` (0 for true) while another thread holds `lock`.
int InChildWhileHeld(SharedLock* lock, Access access, std::function<bool()> const& in_child) {
  std::atomic<int> stage{0};
  std::thread holder([&] {
    LockHold const hold(lock, access, "thing");
    stage = 1;
    while (stage < 2) std::this_thread::yield();
  });
  while (stage < 1) std::this_thread::yield();
  auto const child = fork();
  if (child == 0) {
    alarm(20);  // a child that hangs also fails
    _exit(in_child() ? 0 : 1);
  }
  stage = 2;
  holder.join();
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(SharedLock, AReaderOfTheParentDoesNotHoldTheChild) {
  SharedLock lock;
  EXPECT_EQ(InChildWhileHeld(&lock, Access::kRead, [&] { return lock.TryLockExclusive(); }), 0);
  EXPECT_TRUE(lock.TryLockExclusive());
}

TEST(SharedLock, AWriterOfTheParentLosesTheThingForTheChild) {
  SharedLock lock;
  auto const is_refused = [&] {
    try {
      LockHold const hold(&lock, Access::kRead, "thing");
      return false;
    } catch (Error const& error) {
      return lock.IsLost() && std::string(error.what()).find("was forked") != std::string::npos;
    }
  };
  EXPECT_EQ(InChildWhileHeld(&lock, Access::kChange, is_refused), 0);
  EXPECT_FALSE(lock.IsLost());
}

TEST(SharedLock, TheForkingThreadKeepsWhatItHolds) {
  SharedLock lock;
  int status = -1;
  {
    LockHold const hold(&lock, Access::kChange, "thing");
    auto const child = fork();
    if (child == 0) {
      auto const is_kept = !lock.IsLost() && !lock.TryLockExclusive();
      lock.UnlockExclusive();
      _exit(is_kept && lock.TryLockExclusive() ? 0 : 1);
    }
    waitpid(child, &status, 0);
  }
  EXPECT_EQ(status, 0);
}
#endif

}  // namespace
}  // namespace kauri
