#include "common/threads/shared_lock.h"

#include "common/threads/per_thread.h"
#include "kauri/error.h"

namespace kauri {
namespace {

using Word = std::uint64_t;

// The lower half, on which threads sleep: every change that they wait for modifies it.
constexpr Word kReader = 1;  // added once for each reader that holds the lock
constexpr Word kReaders = (Word{1} << 20U) - 1;
constexpr Word kPhase = Word{1} << 20U;  // counts the writers that have ended
constexpr Word kPhases = Word{0x3FF} << 20U;
constexpr Word kPending = Word{1} << 30U;  // a writer waits for the last reader
constexpr Word kActive = Word{1} << 31U;   // a writer holds the lock
// The upper half.
constexpr unsigned kWaitingShift = 32;  // the number of waiting readers begins here
constexpr Word kWaitingReader = Word{1} << kWaitingShift;
constexpr Word kWriterSleeps = Word{1} << 52U;  // further writers wait
constexpr Word kLost = Word{1} << 53U;
constexpr unsigned kProcessShift = 54;  // the number of forks down to the process that wrote the word
constexpr Word kProcesses = ~Word{0} << kProcessShift;

std::atomic<Word> g_process{0};
KAURI_STATIC_THREAD_LOCAL LockHold* t_holds = nullptr;

Word ProcessBits() { return g_process.load(std::memory_order_relaxed) << kProcessShift; }

}  // namespace

void KeepHoldsAfterFork() {
  g_process.fetch_add(1, std::memory_order_relaxed);
  for (auto const* hold = t_holds; hold != nullptr; hold = hold->below_) {
    if (!hold->is_nested_) hold->lock_->KeepAfterFork(hold->access_);
  }
}

namespace {

[[maybe_unused]] int const kAtFork = platform::AtFork(KeepHoldsAfterFork);

}  // namespace

/// Loads the word. Threads of the parent process do not run here: locks that they held are free, or lost if one of them
/// was changing the object.
Word SharedLock::Load() {
  auto word = word_.load(std::memory_order_acquire);
  while ((word & kProcesses) != ProcessBits()) {
    auto const renewed = ProcessBits() | ((word & (kActive | kLost)) != 0 ? kLost : 0);
    if (word_.compare_exchange_weak(word, renewed)) return renewed;
  }
  return word;
}

Word SharedLock::LoadGuarded(char const* what) {
  auto const word = Load();
  if ((word & kLost) == 0) return word;
  Fail(ErrorKind::kParameter, "the ", what,
       " was being changed by another thread when this process was forked, and is half changed here; make it anew, or "
       "fork while no call changes it.");
}

bool SharedLock::IsLost() { return (Load() & kLost) != 0; }

void SharedLock::KeepAfterFork(Access access) {
  word_.store(ProcessBits() | (access == Access::kRead ? kReader : kActive), std::memory_order_relaxed);
}

void SharedLock::LockShared(char const* what, bool passes_waiting) {
  auto const stops = passes_waiting ? kActive : kActive | kPending;
  for (;;) {
    auto word = LoadGuarded(what);
    auto const is_free = (word & stops) == 0;
    auto const next = word + (is_free ? kReader : kWaitingReader);
    if (!word_.compare_exchange_weak(word, next, std::memory_order_acquire, std::memory_order_relaxed)) continue;
    if (!is_free) AwaitTurn(next);
    return;
  }
}

/// Waits until a writer ends, which turns each waiting reader into a reader that holds the lock.
void SharedLock::AwaitTurn(Word word) {
  auto const phase = word & kPhases;
  while ((word & kPhases) == phase) {
    FutexWait(&word_, word);
    word = word_.load(std::memory_order_acquire);
  }
}

void SharedLock::UnlockShared() {
  auto const word = word_.fetch_sub(kReader, std::memory_order_release) - kReader;
  if ((word & kReaders) == 0 && (word & kPending) != 0) FutexWakeAll(&word_);
}

void SharedLock::LockExclusive(char const* what) {
  BecomeNextWriter(what);
  for (;;) {
    auto word = word_.load(std::memory_order_relaxed);
    if ((word & kReaders) != 0) {
      FutexWait(&word_, word);
    } else if (word_.compare_exchange_weak(word, (word & ~kPending) | kActive, std::memory_order_acquire,
                                           std::memory_order_relaxed)) {
      return;
    }
  }
}

void SharedLock::BecomeNextWriter(char const* what) {
  for (;;) {
    auto word = LoadGuarded(what);
    auto const is_turn = (word & (kActive | kPending)) == 0;
    auto const next = word | (is_turn ? kPending : kWriterSleeps);
    if (!word_.compare_exchange_weak(word, next)) continue;
    if (is_turn) return;
    FutexWait(&word_, next);
  }
}

void SharedLock::UnlockExclusive() {
  auto word = word_.load(std::memory_order_relaxed);
  Word n_waiting = 0;
  Word next = 0;
  do {
    n_waiting = (word & ~kProcesses & ~kWriterSleeps & ~kLost) >> kWaitingShift;
    next = (word & kProcesses) | ((word + kPhase) & kPhases) | n_waiting * kReader;
  } while (!word_.compare_exchange_weak(word, next, std::memory_order_release, std::memory_order_relaxed));
  if (n_waiting > 0 || (word & kWriterSleeps) != 0) FutexWakeAll(&word_);
}

bool SharedLock::TryLockExclusive() {
  auto word = Load();
  if ((word & ~kProcesses & ~kPhases) != 0) return false;
  return word_.compare_exchange_strong(word, word | kActive, std::memory_order_acquire, std::memory_order_relaxed);
}

LockHold::LockHold(SharedLock* lock, Access access, char const* what) : lock_(lock), access_(access), below_(t_holds) {
  for (auto const* hold = t_holds; hold != nullptr; hold = hold->below_) is_nested_ |= hold->lock_ == lock;
  if (is_nested_ && access == Access::kChange) {
    Fail(ErrorKind::kParameter, "the ", what, " is in use by a call that has not returned; wait for that.");
  }
  if (!is_nested_) {
    access == Access::kRead ? lock->LockShared(what, t_holds != nullptr) : lock->LockExclusive(what);
  }
  t_holds = this;
}

/// Removes this hold from the thread's list; holds in a container may end in any order.
LockHold::~LockHold() {
  auto** place = &t_holds;
  while (*place != this) place = &(*place)->below_;
  *place = below_;
  if (is_nested_) return;
  access_ == Access::kRead ? lock_->UnlockShared() : lock_->UnlockExclusive();
}

}  // namespace kauri
