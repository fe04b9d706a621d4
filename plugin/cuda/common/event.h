/// \file A point in the work of a stream that the host can wait for.
#pragma once

#include <cuda_runtime_api.h>

#include <utility>

#include "cuda/common/check.h"
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

}  // namespace kauri::cuda
