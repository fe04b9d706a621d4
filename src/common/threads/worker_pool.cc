/// \file The threads behind ParallelFor: one pool of workers for the process, which all threads that run loops share.
///
/// 1. The caller of a loop makes a Region, puts it into the mailboxes of the free workers that the loop can use,
///    starts workers if there are too few, and takes blocks itself, one after the other.
/// 2. Workers that receive the mail take blocks, too. Spinning workers see it at once. A sleeping worker has to be
///    woken, which costs the waking thread microseconds: so the caller wakes two, and every thread after each block one
///    more.
/// 3. The loop ends when all blocks are done. The caller does not wait for workers without a block: on a busy machine a
///    worker may arrive after milliseconds. It takes back the mail that no worker has read yet.
/// 4. A region lives until the last thread that knows it leaves.
/// 5. Workers spin for a while (waits.h), then sleep. They block all signals and run until the process ends.
///
/// No thread holds a lock, so fork() copies none; in the child the pool starts anew.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <new>

#include "common/threads/per_thread.h"
#include "common/threads/team.h"
#include "common/threads/threads.h"
#include "common/threads/waits.h"

namespace kauri::detail {
namespace {

constexpr std::size_t kLine = 128;  // processors fetch cache lines of 64 bytes in pairs
using Padding = std::array<char, kLine>;

/// A worker's mailbox holds one of these, or the address of a region, to which kWasAsleep may be added.
enum Mail : std::uint64_t { kFree, kAsleep, kBeingMailed, kWorking, kWasAsleep = 4 };

struct alignas(kLine) Worker {
  FutexWord mail{kFree};
  std::atomic<int> index{0};  ///< its index in the region that is in the mail; 0: 1 + its place in the pool

  /// Claims the worker from `state`, kFree or kAsleep, for a region, in which its index is 1 + its place in the pool.
  /// A single exchange: the worker watches the cache line, so any further access would fetch it from there once more,
  /// in about 100 ns for each worker.
  bool Take(std::uint64_t state, std::uint64_t region);
  /// Does the same with another index.
  bool TakeAs(int its_index, std::uint64_t state, std::uint64_t region);
  /// Returns the worker's index in the region that it received.
  int TakeIndex();
  /// Takes back unread mail; returns whether there was some from the region.
  bool TakeBack(std::uint64_t region);
};

std::uint64_t Letter(std::uint64_t state, std::uint64_t region) {
  return state == kAsleep ? region + kWasAsleep : region;
}

bool Worker::Take(std::uint64_t state, std::uint64_t region) {
  if (mail.load(std::memory_order_relaxed) != state) return false;
  return mail.compare_exchange_strong(state, Letter(state, region), std::memory_order_acq_rel);
}

bool Worker::TakeAs(int its_index, std::uint64_t state, std::uint64_t region) {
  if (mail.load(std::memory_order_relaxed) != state) return false;
  auto const letter = Letter(state, region);
  if (!mail.compare_exchange_strong(state, kBeingMailed, std::memory_order_acquire)) return false;
  index.store(its_index, std::memory_order_relaxed);
  mail.store(letter, std::memory_order_release);
  return true;
}

bool Worker::TakeBack(std::uint64_t region) {
  auto found = mail.load(std::memory_order_relaxed);
  if (found != region && found != region + kWasAsleep) return false;
  auto const back = found == region ? kFree : kAsleep;
  if (!mail.compare_exchange_strong(found, kBeingMailed, std::memory_order_acq_rel)) return false;
  index.store(0, std::memory_order_relaxed);
  mail.store(back, std::memory_order_release);
  return true;
}

/// All workers, with room for the maximum number. Nothing here has a destructor: workers run while a process ends.
struct Pool {
  static constexpr int kMostWorkers = 1024;
  std::array<Worker, kMostWorkers> workers;
  std::atomic<int> n_workers{0};
  std::atomic<int> n_processors{0};  ///< number at the last start of workers
  std::atomic<bool> is_starting{false};
  /// earliest time of the next start after a failed one
  std::atomic<std::int64_t> next_start{std::numeric_limits<std::int64_t>::min()};
};

Pool g_pool;

/// A loop, or a part of one, and the threads that work on it.
class Region {
 public:
  static constexpr std::int64_t kMostBlocks = std::int64_t{1} << 31;

  Region(TeamWork const& work, std::int64_t first, int threads)
      : work_(work),
        first_(first),
        n_blocks_(std::min(kMostBlocks, work.n_blocks - first)),
        threads_(threads),
        may_spin_(threads <= g_pool.n_processors.load(std::memory_order_relaxed)),
        left_(kHolder * static_cast<std::uint64_t>(threads) + static_cast<std::uint64_t>(n_blocks_)) {}

  /// Runs the region with this thread as the first; frees the region or leaves that to the last of the other threads.
  static void Run(Region* region);
  /// Works on the region as a worker that received it by mail.
  static void Help(Region* region, Worker* worker, bool was_asleep);

  std::uint64_t Address() const { return reinterpret_cast<std::uint64_t>(this); }
  bool MaySpin() const { return may_spin_; }

 private:
  static constexpr std::uint64_t kHolder = std::uint64_t{1} << 32;  ///< one thread that knows the region, in left_
  static constexpr auto kShort = std::chrono::microseconds(20);
  static constexpr auto kMostForBlock = std::chrono::microseconds(200);
  static constexpr int kNoSleepers = std::numeric_limits<int>::max();
  static constexpr std::uint64_t kCallerSleeps = std::uint64_t{1} << 63;
  static constexpr std::uint64_t Blocks(std::uint64_t left) { return left & (kHolder - 1); }
  static constexpr std::uint64_t Holders(std::uint64_t left) { return (left & ~kCallerSleeps) / kHolder; }

  int SendMail();
  std::uint64_t TakeBlocks();
  void WakeOne();
  void WakeTwo();
  void WaitForBlocks(SpinClock::duration block);
  std::uint64_t TakeMailBack();
  static void Leave(Region* region, std::uint64_t holders);

  TeamWork const work_;
  std::int64_t const first_;
  std::int64_t const n_blocks_;
  int const threads_;
  bool const may_spin_;
  [[maybe_unused]] Padding before_next_{};      // not alignas: aligned memory takes longer to allocate
  std::atomic<std::int64_t> next_{0};           ///< next block
  std::atomic<int> next_sleeper_{kNoSleepers};  ///< index among the pool's workers: all before it have been woken
  [[maybe_unused]] Padding before_left_{};
  /// Unfinished blocks, holders, and whether the caller sleeps: one word, so that one operation leaves the region.
  FutexWord left_;
};

void* WorkerMain(void* self);

/// Starts a worker with a region in its mail; returns false if no more threads can be created now.
bool Start(Worker* worker, Region const& region, int index) {
  worker->index.store(index, std::memory_order_relaxed);
  worker->mail.store(region.Address(), std::memory_order_relaxed);
  return platform::StartThread(WorkerMain, worker);
}

std::int64_t Now() { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::milliseconds(1); }

int Worker::TakeIndex() {
  auto const given = index.load(std::memory_order_relaxed);
  if (given == 0) return 1 + static_cast<int>(this - g_pool.workers.data());
  index.store(0, std::memory_order_relaxed);
  return given;
}

/// Indices of a region's workers, of which some are not taken.
struct Indices {
  std::array<int, Pool::kMostWorkers> of;  // not initialised: few are used
  int n = 0;

  void Add(int index) { of[n++] = index; }
};

/// Starts workers for the last ones of `indices`, as many as possible, and removes these. The total never exceeds the
/// number that one loop of `threads`, or all processors, can use. One caller at a time starts workers; others continue
/// with the existing ones.
void StartWorkers(Region const& region, int threads, Indices* indices) {
  constexpr std::int64_t kBetweenFailures = 100;  // milliseconds
  auto const most = [&] { return std::min(Pool::kMostWorkers, std::max(threads, g_pool.n_processors.load()) - 1); };
  if (g_pool.n_processors.load() != 0 && g_pool.n_workers.load() >= most()) return;
  if (Now() < g_pool.next_start || g_pool.is_starting.exchange(true, std::memory_order_acquire)) return;
  g_pool.n_processors = NumProcessors();
  while (indices->n > 0 && g_pool.n_workers < most()) {
    if (!Start(&g_pool.workers[g_pool.n_workers], region, indices->of[indices->n - 1])) {
      g_pool.next_start = Now() + kBetweenFailures;
      break;
    }
    --indices->n;
    ++g_pool.n_workers;
  }
  g_pool.is_starting.store(false, std::memory_order_release);
}

/// Sends the region to workers and returns their number. The first workers have the same index in every region, so that
/// the scratch memory of an index stays in their caches.
int Region::SendMail() {
  auto const wanted = threads_ - 1;
  auto const n_workers = g_pool.n_workers.load(std::memory_order_acquire);
  auto const n_first = std::min(n_workers, wanted);
  auto* const workers = g_pool.workers.data();
  for (int i = 0; i < n_first; ++i) __builtin_prefetch(&workers[i].mail, 1);  // side by side
  Indices open;
  for (int index = wanted; index > n_first; --index) open.Add(index);
  for (int i = n_first - 1; i >= 0; --i) {
    if (!workers[i].Take(kFree, Address())) open.Add(i + 1);
  }
  for (auto const state : {kFree, kAsleep}) {
    auto const before = open.n;
    for (int i = state == kFree ? n_first : 0; i < n_workers && open.n > 0; ++i) {
      if (workers[i].TakeAs(open.of[open.n - 1], state, Address())) --open.n;
    }
    if (state == kAsleep && open.n < before) next_sleeper_.store(0, std::memory_order_relaxed);
  }
  if (open.n > 0) StartWorkers(*this, threads_, &open);
  return wanted - open.n;
}

/// Runs blocks until none is left; returns the number of blocks that this thread ran.
std::uint64_t Region::TakeBlocks() {
  std::uint64_t done = 0;
  for (auto block = next_.fetch_add(1, std::memory_order_relaxed); block < n_blocks_;
       block = next_.fetch_add(1, std::memory_order_relaxed)) {
    work_.Run(first_ + block);
    ++done;
    WakeOne();
  }
  return done;
}

/// Wakes a worker that sleeps with this region in its mail, if there are blocks for it.
void Region::WakeOne() {
  auto const n_workers = g_pool.n_workers.load(std::memory_order_relaxed);
  if (next_sleeper_.load(std::memory_order_relaxed) >= n_workers) return;
  if (next_.load(std::memory_order_relaxed) >= n_blocks_) return;
  for (int i = next_sleeper_++; i < n_workers; i = next_sleeper_++) {
    auto const& mail = g_pool.workers[i].mail;
    if (mail.load(std::memory_order_relaxed) == Address() + kWasAsleep) return FutexWake(&mail);
  }
}

/// Wakes two workers before the first block, which may be long: so the number of awake threads doubles each time.
void Region::WakeTwo() {
  WakeOne();
  WakeOne();
}

/// Waits for the blocks that other threads have taken; `block` is the time that a block took on this thread.
void Region::WaitForBlocks(SpinClock::duration block) {
  auto const is_done = [&] { return Blocks(left_.load(std::memory_order_acquire)) == 0; };
  auto const expected = std::min<SpinClock::duration>(kShort + 2 * block, kMostForBlock);
  if (is_done() || (may_spin_ && SpinUntil(expected, true, is_done))) return;
  auto left = left_.fetch_or(kCallerSleeps, std::memory_order_acq_rel);
  for (; Blocks(left) != 0; left = left_.load(std::memory_order_acquire)) FutexWait(&left_, left);
}

/// Takes back unread mail; returns its number.
std::uint64_t Region::TakeMailBack() {
  auto const n_workers = static_cast<std::size_t>(g_pool.n_workers.load(std::memory_order_relaxed));
  std::uint64_t taken = 0;
  for (std::size_t i = 0; i < n_workers; ++i) {
    if (g_pool.workers[i].TakeBack(Address())) ++taken;
  }
  return taken;
}

void Region::Leave(Region* region, std::uint64_t holders) {
  auto const before = region->left_.fetch_sub(holders * kHolder, std::memory_order_acq_rel);
  if (Holders(before) == holders) delete region;
}

void Region::Run(Region* region) {
  auto const sent = region->SendMail();
  auto const missing = static_cast<std::uint64_t>(region->threads_ - 1 - sent);
  if (missing > 0) region->left_.fetch_sub(missing * kHolder, std::memory_order_relaxed);
  region->WakeTwo();
  auto const begin = SpinClock::now();
  std::uint64_t done = 0;
  {
    InLoop const place(0);
    done = region->TakeBlocks();
  }
  auto const taken = SpinClock::now() - begin;
  region->left_.fetch_sub(done, std::memory_order_acq_rel);
  region->WaitForBlocks(taken / static_cast<std::int64_t>(done + 1));
  auto const others = Holders(region->left_.load(std::memory_order_acquire)) - 1;
  Leave(region, 1 + (others == 0 ? 0 : region->TakeMailBack()));
}

void Region::Help(Region* region, Worker* worker, bool was_asleep) {
  auto const* const word = &region->left_;
  if (was_asleep) region->WakeTwo();
  std::uint64_t done = 0;
  {
    InLoop const place(worker->TakeIndex());
    done = region->TakeBlocks();
  }
  // The worker is free before it leaves the region, so that the caller's next loop, which may begin at once, finds all
  // workers of this one.
  worker->mail.store(kFree, std::memory_order_release);
  auto const before = region->left_.fetch_sub(kHolder + done, std::memory_order_acq_rel);
  auto const after = before - kHolder - done;
  if (Holders(after) == 0) {
    delete region;
  } else if ((before & kCallerSleeps) != 0 && done > 0 && Blocks(after) == 0) {
    FutexWake(word);
  }
}

/// Waits for mail and returns it.
std::uint64_t Receive(Worker* worker, bool may_spin) {
  // time between the loops of a training; a later loop is unlikely
  constexpr auto kBetweenLoops = std::chrono::microseconds(300);
  auto* const mail = &worker->mail;
  auto const has_mail = [&] { return mail->load(std::memory_order_relaxed) > kWorking; };
  while (true) {
    auto const is_there = has_mail() || (may_spin && SpinUntil(kBetweenLoops, false, has_mail));
    auto found = is_there ? mail->load(std::memory_order_relaxed) : kFree;
    if (found > kWorking && mail->compare_exchange_strong(found, kWorking, std::memory_order_acq_rel)) return found;
    if (found != kFree) continue;
    // It says kAsleep already if the mail that woke this thread was taken back.
    if (!mail->compare_exchange_strong(found, kAsleep, std::memory_order_acq_rel) && found != kAsleep) continue;
    FutexWait(mail, kAsleep);
    found = kAsleep;  // if it was woken for mail that was taken back: more may come soon
    mail->compare_exchange_strong(found, kFree, std::memory_order_acq_rel);
  }
}

void* WorkerMain(void* self) {
  auto* const worker = static_cast<Worker*>(self);
  platform::NameThisThread("kauri");
  PrepareForExceptions();
  for (bool may_spin = false;;) {
    auto const mail = Receive(worker, may_spin);
    auto* const region = reinterpret_cast<Region*>(mail & ~std::uint64_t{kWasAsleep});
    may_spin = region->MaySpin();
    Region::Help(region, worker, (mail & kWasAsleep) != 0);
  }
}

/// Resets the pool in the child of a fork, which has none of the workers.
void BeginAnew() {
  g_pool.n_workers = 0;
  g_pool.is_starting = false;
}

[[maybe_unused]] int const kAtFork = platform::AtFork(BeginAnew);

}  // namespace

void RunOnTeam(int threads, TeamWork const& work) {
  for (std::int64_t first = 0; first < work.n_blocks; first += Region::kMostBlocks) {
    auto* const region = new (std::nothrow) Region(work, first, std::min(threads, Pool::kMostWorkers + 1));
    if (region == nullptr) {
      for (std::int64_t block = first; block < work.n_blocks; ++block) work.Run(block);
      return;
    }
    Region::Run(region);
  }
}

}  // namespace kauri::detail
