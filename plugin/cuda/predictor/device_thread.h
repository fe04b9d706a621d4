/// \file A host thread for each of several devices.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

namespace kauri::cuda {

/// Runs tasks one after the other. The thread is kept between calls, because CUDA and memory are set up for each thread
/// anew. If no thread can be started, the caller's own runs the tasks.
class DeviceThread {
 public:
  DeviceThread();
  /// Waits for all tasks.
  ~DeviceThread();
  DeviceThread(DeviceThread const&) = delete;
  DeviceThread& operator=(DeviceThread const&) = delete;

  /// Returns a future that is ready when `work` is done, and holds its exception. Safe from many threads.
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
