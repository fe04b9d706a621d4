/// \file Device memory from the CUDA async pool, and copies to and from it, all ordered on a stream. The bare forms are
/// forbidden elsewhere (tests/lint).
///
/// Every copy between host and device is counted here. Tests and the log read the counts to show that nothing row-sized
/// crosses the bus while a model grows.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "kauri/span.h"

namespace kauri::cuda {

struct CopyCounts {
  std::uint64_t to_device_bytes = 0;
  std::uint64_t to_device_copies = 0;
  std::uint64_t to_host_bytes = 0;
  std::uint64_t to_host_copies = 0;

  CopyCounts& operator+=(CopyCounts const& other) {
    to_device_bytes += other.to_device_bytes;
    to_device_copies += other.to_device_copies;
    to_host_bytes += other.to_host_bytes;
    to_host_copies += other.to_host_copies;
    return *this;
  }
  friend CopyCounts operator-(CopyCounts const& a, CopyCounts const& b) {
    return {a.to_device_bytes - b.to_device_bytes, a.to_device_copies - b.to_device_copies,
            a.to_host_bytes - b.to_host_bytes, a.to_host_copies - b.to_host_copies};
  }
};

/// Returns the copies that the calling thread has requested since it began. Counts are per thread, so that parallel
/// sessions do not mix, and counting costs no more than an addition.
CopyCounts ThreadCopyCounts();
void CountCopyToDevice(std::size_t bytes);
void CountCopyToHost(std::size_t bytes);

/// Owns `size` uninitialised elements. The stream must outlive it.
template <typename T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(CudaContext const& ctx, std::size_t size) : stream_(ctx.stream), size_(size) {
    if (size == 0) return;
    KAURI_CUDA_CHECK(cudaMallocAsync(reinterpret_cast<void**>(&data_), size * sizeof(T), ctx.stream));
  }
  ~Buffer() {
    if (data_ != nullptr) cudaFreeAsync(data_, stream_);
  }
  Buffer(Buffer&& other) noexcept { *this = std::move(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(stream_, other.stream_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  Buffer(Buffer const&) = delete;
  Buffer& operator=(Buffer const&) = delete;

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  Span<T> span() const { return {data_, size_}; }

  /// Makes room for at least `size` elements. If the buffer grows, its contents are lost.
  void Reserve(CudaContext const& ctx, std::size_t size) {
    if (size > size_) {
      *this = Buffer();
      *this = Buffer(ctx, size);
    }
  }

 private:
  cudaStream_t stream_ = nullptr;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Copies from host to device. `from` must stay until the stream has passed. Pageable memory is staged by the driver.
template <typename T>
void CopyToDevice(CudaContext const& ctx, T const* from, std::size_t size, T* to) {
  if (size == 0) return;
  CountCopyToDevice(size * sizeof(T));
  KAURI_CUDA_CHECK(cudaMemcpyAsync(to, from, size * sizeof(T), cudaMemcpyHostToDevice, ctx.stream));
}

template <typename T, typename Allocator>
Buffer<T> ToDevice(CudaContext const& ctx, std::vector<T, Allocator> const& from) {
  Buffer<T> buffer(ctx, from.size());
  CopyToDevice(ctx, from.data(), from.size(), buffer.data());
  return buffer;
}

template <typename T>
void CopyOnDevice(CudaContext const& ctx, T const* from, std::size_t size, T* to) {
  if (size == 0) return;
  KAURI_CUDA_CHECK(cudaMemcpyAsync(to, from, size * sizeof(T), cudaMemcpyDeviceToDevice, ctx.stream));
}

/// Copies from device to host, asynchronously if `to` is page-locked.
template <typename T>
void CopyToHost(CudaContext const& ctx, T const* from, std::size_t size, T* to) {
  if (size == 0) return;
  CountCopyToHost(size * sizeof(T));
  KAURI_CUDA_CHECK(cudaMemcpyAsync(to, from, size * sizeof(T), cudaMemcpyDeviceToHost, ctx.stream));
}

/// Copies from device to host and waits for the values.
template <typename T, typename Allocator = std::allocator<T>>
std::vector<T, Allocator> ToHost(CudaContext const& ctx, T const* from, std::size_t size) {
  std::vector<T, Allocator> values(size);
  if (size == 0) return values;
  CopyToHost(ctx, from, size, values.data());
  ctx.Synchronize();  // for `values`
  return values;
}

/// Sets every byte to zero.
template <typename T>
void FillZero(CudaContext const& ctx, T* data, std::size_t size) {
  if (size == 0) return;
  KAURI_CUDA_CHECK(cudaMemsetAsync(data, 0, size * sizeof(T), ctx.stream));
}

}  // namespace kauri::cuda
