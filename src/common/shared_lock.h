/// \file A lock for many readers or one writer that neither side can hold the other from, and that survives fork().
///
/// The shared mutex of the standard library lets, with glibc, readers in for as long as any reader is there: under a
/// stream of predictions a writer would wait for ever. Here a writer that waits stops new readers, and when it ends,
/// all readers that wait go before the next writer. Everything is in one word, so that taking and leaving the lock is
/// one atomic operation each, and so that the child of a fork() can tell a word that threads of its parent left behind:
/// it lacks the child's number.
#pragma once

#include <cstdint>

#include "common/futex.h"

namespace kauri {

enum class Access { kRead, kChange };

class SharedLock {
 public:
  /// Waits for a writer that holds the lock, and for one that waits for it unless `passes_waiting`: a thread that holds
  /// another lock passes, since the waiting writer may be waiting for that thread. \throws Error(kParameter) as IsLost.
  void LockShared(char const* what, bool passes_waiting);
  void UnlockShared();
  /// \throws Error(kParameter) as IsLost.
  void LockExclusive(char const* what);
  void UnlockExclusive();
  /// False while any thread holds the lock or waits for it.
  bool TryLockExclusive();
  /// Whether a thread of the parent process was changing what the lock guards during fork(): it is half changed here.
  bool IsLost();
  /// For the child of a fork(): the forking thread, which lives on, holds the lock as before.
  void KeepAfterFork(Access access);

 private:
  std::uint64_t Load();
  std::uint64_t LoadGuarded(char const* what);
  void AwaitTurn(std::uint64_t word);
  void BecomeNextWriter(char const* what);

  FutexWord word_{0};
};

/// A lock held for a scope. A thread may hold a lock for reading again, also while it changes: functions of the caller
/// that run during a call read what the call works on.
class LockHold {
 public:
  /// what: names the guarded object in messages. \throws Error(kParameter) where a thread that holds the lock asks to
  /// change, and as SharedLock.
  LockHold(SharedLock* lock, Access access, char const* what);
  ~LockHold();
  LockHold(LockHold const&) = delete;
  LockHold& operator=(LockHold const&) = delete;

 private:
  friend void KeepHoldsAfterFork();

  SharedLock* lock_;
  Access access_;
  bool is_nested_ = false;
  LockHold* below_;  ///< the thread's hold before
};

}  // namespace kauri
