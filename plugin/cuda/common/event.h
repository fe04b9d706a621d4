/// \file How a stream waits for another, of the same device or of another device.
///
/// Event is a point in the work of a stream that the host can wait for.
///
/// SendSignal and AwaitSignals make a stream of one device wait for a stream of another, faster than events do.
///
/// An event crosses the queues of both devices. Here a kernel of one device writes a word of page-locked memory, and a
/// kernel of the other device polls it. For a level of a tree on four devices the first device waited 26 us with events
/// (H200s) and waits 18 us with signals (H100s), mostly for work that is not done yet. The wait occupies a small part
/// of a multiprocessor, and the queue of its stream. On one device events are better.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "cuda/common/cuda_context.h"

namespace kauri::cuda {

/// Event of a device's streams. It is made once and recorded many times, because making one costs the host a
/// microsecond.
class Event {
 public:
  explicit Event(int device) {
    DeviceScope const scope(device);
    KAURI_CUDA_CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
  }
  ~Event() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }
  Event(Event&& other) noexcept { std::swap(event_, other.event_); }
  Event& operator=(Event&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  Event(Event const&) = delete;
  Event& operator=(Event const&) = delete;

  /// Makes the event stand for the present work of the stream.
  void Record(CudaContext const& cuda) const { KAURI_CUDA_CHECK(cudaEventRecord(event_, cuda.stream)); }
  /// Does the same as Record, for destructors after an error, which is reported elsewhere.
  void RecordQuietly(CudaContext const& cuda) const noexcept { cudaEventRecord(event_, cuda.stream); }
  /// Makes all later work on the stream, which may be of any device, wait for the recorded work.
  void HoldBack(CudaContext const& cuda) const { KAURI_CUDA_CHECK(cudaStreamWaitEvent(cuda.stream, event_, 0)); }
  /// Returns whether the recorded work is done. \throws Error(kDevice) for work that failed.
  bool IsReached() const {
    auto const state = cudaEventQuery(event_);
    if (state == cudaErrorNotReady) return false;
    KAURI_CUDA_CHECK(state);
    return true;
  }
  /// Waits for the recorded work; does not wait if nothing was recorded.
  void Wait() const { KAURI_CUDA_CHECK(cudaEventSynchronize(event_)); }
  /// Does the same as Wait, for destructors after an error, which is reported elsewhere.
  void WaitQuietly() const noexcept { cudaEventSynchronize(event_); }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Distance between the words of two signals: a cache line each.
constexpr std::size_t kSignalStride = 32;

/// Sets the word, which is page-locked, to `turn` when the stream's present work is done.
void SendSignal(CudaContext const& cuda, std::uint32_t* word, std::uint32_t turn);
/// Makes later work on the stream wait until each word is at least `turn`. If turns wrap around, the later turn counts
/// as larger. The signals must have been queued before, so that they cannot be behind the wait in any queue. gave_up
/// (in, out), page-locked: becomes 1 if a word did not arrive for a minute. After that nothing waits any more, so
/// readers of results must check it.
void AwaitSignals(CudaContext const& cuda, std::vector<std::uint32_t const*> const& words, std::uint32_t turn,
                  std::uint32_t* gave_up);

}  // namespace kauri::cuda
