/// \file Results that stay in device memory after the call that made them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "kauri/device_memory.h"

namespace kauri::cuda {

/// Owns its stream, because it may outlive whatever computed it. Not initialised.
class OwnedFloats : public DeviceFloats {
 public:
  OwnedFloats(int device, std::int64_t size) : stream_(device) {
    DeviceScope const scope(device);
    values_ = Buffer<float>(stream_.Context(), static_cast<std::size_t>(size));
  }
  /// Default streams may still be reading; work on others must be done.
  ~OwnedFloats() override {
    try {
      DeviceScope const scope(stream_.Context().device);
      WaitFor(stream_.Context(), cudaStreamLegacy);
    } catch (Error const&) {  // the process is ending, and the driver is gone
    }
  }

  float const* Data() const override { return values_.data(); }
  std::int64_t Size() const override { return static_cast<std::int64_t>(values_.size()); }
  std::vector<float> ToHost() const override {
    DeviceScope const scope(stream_.Context().device);
    return cuda::ToHost(stream_.Context(), values_.data(), values_.size());
  }

  /// Whoever fills it does so on this stream, and synchronises it before handing the values out.
  CudaContext const& Cuda() const { return stream_.Context(); }
  Span<float> Values() const { return values_.span(); }

 private:
  StreamOwner stream_;  ///< before the buffer, which is freed on it
  Buffer<float> values_;
};

}  // namespace kauri::cuda
