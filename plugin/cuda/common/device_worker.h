/// \file A thread of the host that drives one of several devices.
///
/// A call of CUDA takes the host 3 to 5 microseconds, and a level of a tree takes a dozen. One thread that drives four
/// devices keeps the last of them waiting for the calls of all others, level by level; with a thread each they begin
/// together. A worker that has nothing to do spins for as long as others take between two levels, then sleeps.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "common/futex.h"

namespace kauri::cuda {

/// Its owner alone calls it, from one thread at a time.
class DeviceWorker {
 public:
  using Task = std::function<void()>;
  using Ticket = std::uint64_t;

  explicit DeviceWorker(int device);
  /// Ends after all that was posted.
  ~DeviceWorker();
  DeviceWorker(DeviceWorker const&) = delete;
  DeviceWorker& operator=(DeviceWorker const&) = delete;

  /// Has the thread, whose device is current, do `task` after all that was posted before.
  Ticket Post(Task task);
  /// Waits until that is done. \throws what the first task has thrown that failed since the last Wait: those behind it
  /// were left out, and those that come are not.
  void Wait(Ticket ticket);
  /// Waits for all that was posted; what failed is forgotten.
  void Settle() noexcept;

 private:
  void Run();
  void Do(Task const& task);
  Task Take();
  void WaitUntil(Ticket ticket) noexcept;
  void Count(FutexWord* word, std::uint64_t value, std::atomic<bool>* is_awaited);
  void Sleep(FutexWord const& word, std::uint64_t least, std::atomic<bool>* is_awaited) const;

  int device_;
  pid_t process_;           ///< that has the thread: a child after fork() has none
  std::mutex mutex_;        ///< of tasks_
  std::deque<Task> tasks_;  ///< an empty one is the last
  FutexWord posted_{0};     ///< tasks so far
  FutexWord done_{0};
  std::atomic<bool> worker_sleeps_{false};
  std::atomic<bool> owner_sleeps_{false};
  std::atomic<bool> has_failed_{false};
  std::exception_ptr failure_;  ///< what has; the worker's until all is done
  std::thread thread_;
};

}  // namespace kauri::cuda
