/// \file A point in the work of a stream that the host can wait for.
#pragma once

#include <cuda_runtime_api.h>

#include <utility>

#include "cuda/common/check.h"
#include "cuda/common/cuda_context.h"

namespace kauri::cuda {

/// Of one device's streams. Made once and recorded many times: making one costs the host a microsecond.
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

  /// From now on it stands for what the stream holds now.
  void Record(CudaContext const& cuda) const { KAURI_CUDA_CHECK(cudaEventRecord(event_, cuda.stream)); }
  /// Record for destructors, after an error: the error is somebody else's.
  void RecordQuietly(CudaContext const& cuda) const noexcept { cudaEventRecord(event_, cuda.stream); }
  /// All later work on the stream, of any device, waits for what it stands for now.
  void HoldBack(CudaContext const& cuda) const { KAURI_CUDA_CHECK(cudaStreamWaitEvent(cuda.stream, event_, 0)); }
  /// Whether that is done. \throws Error(kDevice) for work that failed.
  bool IsReached() const {
    auto const state = cudaEventQuery(event_);
    if (state == cudaErrorNotReady) return false;
    KAURI_CUDA_CHECK(state);
    return true;
  }
  /// Waits for what it stands for; for nothing where it was never recorded.
  void Wait() const { KAURI_CUDA_CHECK(cudaEventSynchronize(event_)); }
  /// Wait for destructors, after an error: the error is somebody else's.
  void WaitQuietly() const noexcept { cudaEventSynchronize(event_); }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace kauri::cuda
