/// \file Codes that kernels read, in device memory or in page-locked host memory; reads of the latter cross the bus.
#pragma once

#include <cstddef>

#include "cuda/common/buffer.h"
#include "cuda/common/pinned_buffer.h"

namespace kauri::cuda {

enum class CodePlace { kDevice, kHost };

/// Owns uninitialised codes. Kernels and copies can use the addresses of both kinds.
template <typename T>
class CodeArray {
 public:
  CodeArray() = default;
  /// \throws Error(kMemory).
  CodeArray(CudaContext const& cuda, std::size_t size, CodePlace place) : size_(size) {
    if (place == CodePlace::kHost) {
      on_host_.Reserve(size);
    } else {
      on_device_ = Buffer<T>(cuda, size);
    }
  }

  /// Refers to somebody else's codes, which must outlive the array.
  static CodeArray Borrowed(T* data, std::size_t size) {
    CodeArray memory;
    memory.size_ = size;
    memory.borrowed_ = data;
    return memory;
  }

  T* data() const {
    if (borrowed_ != nullptr) return borrowed_;
    return on_host_.size() != 0 ? on_host_.data() : on_device_.data();
  }
  std::size_t size() const { return size_; }
  /// Returns whether it owns memory of a device.
  bool IsOnDevice() const { return on_device_.size() != 0; }

 private:
  std::size_t size_ = 0;
  Buffer<T> on_device_;
  PinnedBuffer<T> on_host_;
  T* borrowed_ = nullptr;
};

}  // namespace kauri::cuda
