#include "cuda/common/device_worker.h"

#include <cuda_runtime_api.h>
#include <unistd.h>

#include <chrono>
#include <utility>

#include "common/threads/per_thread.h"
#include "common/threads/waits.h"
#include "cuda/common/cuda_context.h"

namespace kauri::cuda {
namespace {

/// Longer than the time that other devices take between two requests of a level.
constexpr auto kAwake = std::chrono::microseconds(500);

}  // namespace

DeviceWorker::DeviceWorker(int device) : device_(device), process_(getpid()), thread_([this] { Run(); }) {}

DeviceWorker::~DeviceWorker() {
  if (getpid() == process_) {
    Post({});
    thread_.join();
  } else {
    thread_.detach();
  }
}

DeviceWorker::Ticket DeviceWorker::Post(Task task) {
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  auto const ticket = posted_.load(std::memory_order_relaxed) + 1;
  Count(&posted_, ticket, &worker_sleeps_);
  return ticket;
}

void DeviceWorker::Wait(Ticket ticket) {
  WaitUntil(ticket);
  if (!has_failed_.load(std::memory_order_acquire)) return;
  WaitUntil(posted_.load(std::memory_order_relaxed));
  has_failed_.store(false, std::memory_order_relaxed);
  std::rethrow_exception(std::exchange(failure_, nullptr));
}

void DeviceWorker::Settle() noexcept {
  WaitUntil(posted_.load(std::memory_order_relaxed));
  has_failed_.store(false, std::memory_order_relaxed);
  failure_ = nullptr;
}

void DeviceWorker::WaitUntil(Ticket ticket) noexcept {
  auto const is_done = [&] { return done_.load(std::memory_order_acquire) >= ticket; };
  if (!SpinUntil(kAwake, false, is_done)) Sleep(done_, ticket, &owner_sleeps_);
}

/// Changes a word and wakes its waiter. A waiter sets its flag before its last look at the word, and Count reads the
/// flag after the change, so no wake-up is lost.
void DeviceWorker::Count(FutexWord* word, std::uint64_t value, std::atomic<bool>* is_awaited) {
  word->store(value);
  if (is_awaited->load()) FutexWake(word);
}

void DeviceWorker::Sleep(FutexWord const& word, std::uint64_t least, std::atomic<bool>* is_awaited) const {
  is_awaited->store(true);
  for (auto value = word.load(); value < least; value = word.load()) FutexWait(&word, value);
  is_awaited->store(false);
}

DeviceWorker::Task DeviceWorker::Take() {
  std::lock_guard<std::mutex> const lock(mutex_);
  auto task = std::move(tasks_.front());
  tasks_.pop_front();
  return task;
}

void DeviceWorker::Do(Task const& task) {
  if (has_failed_.load(std::memory_order_relaxed)) return;
  try {
    KAURI_CUDA_CHECK(cudaSetDevice(device_));  // tasks may change it
    task();
  } catch (...) {
    failure_ = std::current_exception();
    has_failed_.store(true, std::memory_order_release);
  }
}

void DeviceWorker::Run() {
  PrepareForExceptions();
  for (std::uint64_t number = 1;; ++number) {
    auto const is_there = [&] { return posted_.load(std::memory_order_acquire) >= number; };
    if (!SpinUntil(kAwake, false, is_there)) Sleep(posted_, number, &worker_sleeps_);
    auto task = Take();
    if (task == nullptr) return;
    Do(task);
    task = nullptr;  // destroys the task's captures before the owner learns that it is done
    Count(&done_, number, &owner_sleeps_);
  }
}

}  // namespace kauri::cuda
