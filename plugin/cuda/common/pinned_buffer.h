/// \file Page-locked host memory: copies from and to it overlap with the host's own work.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <utility>

#include "cuda/common/check.h"

namespace kauri::cuda {

/// Owns uninitialised elements. Allocation costs about a millisecond, so buffers are kept and grow.
template <typename T>
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  ~PinnedBuffer() { Free(); }
  PinnedBuffer(PinnedBuffer&& other) noexcept { *this = std::move(other); }
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  PinnedBuffer(PinnedBuffer const&) = delete;
  PinnedBuffer& operator=(PinnedBuffer const&) = delete;

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

  /// Makes room for at least `size` elements. If the buffer grows, its contents are lost. No copy may be under way.
  void Reserve(std::size_t size) {
    if (size <= size_) return;
    Free();
    KAURI_CUDA_CHECK(cudaMallocHost(reinterpret_cast<void**>(&data_), size * sizeof(T)));
    size_ = size;
  }

 private:
  void Free() {
    if (data_ != nullptr) cudaFreeHost(data_);
    data_ = nullptr;
    size_ = 0;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace kauri::cuda
