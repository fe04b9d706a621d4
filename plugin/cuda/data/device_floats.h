/// \file Results that stay in device memory after the call that made them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "kauri/device_memory.h"

namespace kauri::cuda {

/// Numbers with a stream of their own, because they may outlive the object that computed them. Not initialised.
template <typename T>
class OwnedNumbers {
 public:
  OwnedNumbers(int device, std::int64_t size) : stream_(device) {
    DeviceScope const scope(device);
    values_ = Buffer<T>(stream_.Context(), static_cast<std::size_t>(size));
  }
  /// Waits for default streams, which may still be reading. Work on other streams must be done.
  ~OwnedNumbers() {
    try {
      DeviceScope const scope(stream_.Context().device);
      WaitFor(stream_.Context(), cudaStreamLegacy);
    } catch (Error const&) {  // the process is ending, and the driver is gone
    }
  }
  OwnedNumbers(OwnedNumbers const&) = delete;
  OwnedNumbers& operator=(OwnedNumbers const&) = delete;

  std::vector<T> ToHost() const {
    DeviceScope const scope(stream_.Context().device);
    return cuda::ToHost(stream_.Context(), values_.data(), values_.size());
  }
  CudaContext const& Cuda() const { return stream_.Context(); }
  Span<T> Values() const { return values_.span(); }

 private:
  StreamOwner stream_;  ///< before the buffer, which is freed on it
  Buffer<T> values_;
};

class OwnedFloats : public DeviceFloats {
 public:
  OwnedFloats(int device, std::int64_t size) : owned_(device, size) {}

  float const* Data() const override { return owned_.Values().data(); }
  std::int64_t Size() const override { return static_cast<std::int64_t>(owned_.Values().size()); }
  std::vector<float> ToHost() const override { return owned_.ToHost(); }

  /// Returns the context in which the values are filled. The code that fills them synchronises the stream before it
  /// hands them out.
  CudaContext const& Cuda() const { return owned_.Cuda(); }
  Span<float> Values() const { return owned_.Values(); }

 private:
  OwnedNumbers<float> owned_;
};

/// The same for int64.
class OwnedIntegers : public DeviceNumbers {
 public:
  OwnedIntegers(int device, std::int64_t size) : owned_(device, size) {}

  void const* Address() const override { return owned_.Values().data(); }
  DType Type() const override { return DType::kI64; }
  std::int64_t Size() const override { return static_cast<std::int64_t>(owned_.Values().size()); }
  void CopyTo(void* to) const override {
    DeviceScope const scope(Cuda().device);
    CopyToHost(Cuda(), owned_.Values().data(), owned_.Values().size(), static_cast<std::int64_t*>(to));
    Cuda().Synchronize();  // for the caller, whose memory may be page-locked
  }

  CudaContext const& Cuda() const { return owned_.Cuda(); }
  Span<std::int64_t> Values() const { return owned_.Values(); }

 private:
  OwnedNumbers<std::int64_t> owned_;
};

}  // namespace kauri::cuda
