/// \file A lock for many readers or one writer in which neither side can starve the other, and which survives fork().
///
/// With glibc, the shared mutex of the standard library admits new readers as long as any reader holds it: under a
/// stream of predictions a writer would wait for ever. Here a waiting writer stops new readers, and when it ends, all
/// waiting readers go before the next writer. The whole state is one word, so taking and releasing the lock is one
/// atomic operation each. The child of a fork() recognises a word left by threads of its parent, because it lacks the
/// child's number.
#pragma once

#include <cstdint>

#include "common/threads/waits.h"

namespace kauri {

enum class Access { kRead, kChange };

class SharedLock {
 public:
  /// Waits for a writer that holds the lock, and unless `passes_waiting` also for one that waits for it. A thread that
  /// holds another lock passes, since the waiting writer may be waiting for that thread. \throws Error(kParameter) as
  /// IsLost.
  void LockShared(char const* what, bool passes_waiting);
  void UnlockShared();
  /// \throws Error(kParameter) as IsLost.
  void LockExclusive(char const* what);
  void UnlockExclusive();
  /// Takes the lock if no thread holds it or waits for it; otherwise returns false.
  bool TryLockExclusive();
  /// Returns whether a thread of the parent process was changing the guarded object during fork(): it is half changed
  /// here.
  bool IsLost();
  /// Restores, in the child of a fork(), the hold of the forking thread, which lives on.
  void KeepAfterFork(Access access);

 private:
  std::uint64_t Load();
  std::uint64_t LoadGuarded(char const* what);
  void AwaitTurn(std::uint64_t word);
  void BecomeNextWriter(char const* what);

  FutexWord word_{0};
};

/// A lock held for a scope. A thread that holds a lock, even for changing, may take it again for reading: functions of
/// the caller that run during a call read the objects that the call works on.
class LockHold {
 public:
  /// what: names the guarded object in messages. \throws Error(kParameter) if a thread that holds the lock requests it
  /// for changing, and as SharedLock.
  LockHold(SharedLock* lock, Access access, char const* what);
  ~LockHold();
  LockHold(LockHold const&) = delete;
  LockHold& operator=(LockHold const&) = delete;

 private:
  friend void KeepHoldsAfterFork();

  SharedLock* lock_;
  Access access_;
  bool is_nested_ = false;
  LockHold* below_;  ///< the thread's previous hold
};

}  // namespace kauri
