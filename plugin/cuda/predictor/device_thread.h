/// \file A host thread for each device of several.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

namespace kauri::cuda {

/// Runs what it is given, one after the other. It stays between calls, because CUDA and memory are set up for each
/// thread anew. Where no thread can be started, the caller's own runs it.
class DeviceThread {
 public:
  DeviceThread();
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
