/// \file A thread of the host that drives one of several devices.
///
/// A CUDA call takes the host 3 to 5 microseconds, and a level of a tree takes a dozen calls. If one thread drives four
/// devices, the last device waits for the calls of all others, level by level. With a thread for each device they begin
/// together. An idle worker spins for as long as the others take between two levels, then sleeps.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "common/threads/waits.h"

namespace kauri::cuda {

/// Called by its owner only, from one thread at a time.
class DeviceWorker {
 public:
  using Task = std::function<void()>;
  using Ticket = std::uint64_t;

  explicit DeviceWorker(int device);
  /// Ends after all posted tasks.
  ~DeviceWorker();
  DeviceWorker(DeviceWorker const&) = delete;
  DeviceWorker& operator=(DeviceWorker const&) = delete;

  /// Queues `task` after all tasks posted before. It runs on the worker's thread, whose current device is set.
  Ticket Post(Task task);
  /// Waits until the ticket's task is done. \throws the exception of the first task that failed since the last Wait.
  /// The tasks posted between that failure and this Wait were skipped; later tasks are not.
  void Wait(Ticket ticket);
  /// Waits for all posted tasks, and discards a failure.
  void Settle() noexcept;

 private:
  void Run();
  void Do(Task const& task);
  Task Take();
  void WaitUntil(Ticket ticket) noexcept;
  void Count(FutexWord* word, std::uint64_t value, std::atomic<bool>* is_awaited);
  void Sleep(FutexWord const& word, std::uint64_t least, std::atomic<bool>* is_awaited) const;

  int device_;
  pid_t process_;           ///< process that has the thread: a child after fork() has none
  std::mutex mutex_;        ///< guards tasks_
  std::deque<Task> tasks_;  ///< an empty task ends the thread
  FutexWord posted_{0};     ///< number of tasks so far
  FutexWord done_{0};
  std::atomic<bool> worker_sleeps_{false};
  std::atomic<bool> owner_sleeps_{false};
  std::atomic<bool> has_failed_{false};
  std::exception_ptr failure_;  ///< the first failure; belongs to the worker until all tasks are done
  std::thread thread_;
};

}  // namespace kauri::cuda
