#include "cuda/predictor/device_thread.h"

#include <system_error>
#include <utility>

namespace kauri::cuda {

DeviceThread::DeviceThread() {
  try {
    thread_ = std::thread([this] { Loop(); });
  } catch (std::system_error const&) {
    thread_ = {};
  }
}

DeviceThread::~DeviceThread() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    ends_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

std::future<void> DeviceThread::Run(std::function<void()> work) {
  std::packaged_task<void()> task(std::move(work));
  auto done = task.get_future();
  if (!thread_.joinable()) {
    task();
    return done;
  }
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  changed_.notify_one();
  return done;
}

void DeviceThread::Loop() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    auto task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

}  // namespace kauri::cuda
