/// \file A host thread for each device of several.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

namespace kauri::cuda {

/// Runs what it is given, one after the other. It stays between calls because OpenMP keeps a team for every thread that
/// runs loops: with a new thread, each call would start its team anew (milliseconds).
class DeviceThread {
 public:
  DeviceThread() : thread_([this] { Loop(); }) {}
  /// Waits for what it was given.
  ~DeviceThread();
  DeviceThread(DeviceThread const&) = delete;
  DeviceThread& operator=(DeviceThread const&) = delete;

  /// The future is ready when `work` is done, and has its exception. Safe from many threads.
  std::future<void> Run(std::function<void()> work);

 private:
  void Loop();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::packaged_task<void()>> tasks_;
  bool ends_ = false;
  std::thread thread_;  ///< last: it uses the others
};

}  // namespace kauri::cuda
