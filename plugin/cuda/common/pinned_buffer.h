/// \file Host memory for copies from and to a device.
///
/// PinnedBuffer is page-locked host memory: copies from and to it overlap with the host's own work. IdlePinned keeps
/// such memory between uses.
///
/// Upload has small host arrays that are copied to the device together, because a copy costs the host microseconds at
/// any size.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"

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
    std::swap(context_id_, other.context_id_);
    return *this;
  }
  PinnedBuffer(PinnedBuffer const&) = delete;
  PinnedBuffer& operator=(PinnedBuffer const&) = delete;

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  /// Returns the number of the context that the memory belongs to (cuda/common/cuda_context.h).
  std::uint64_t Owner() const { return context_id_; }

  /// Makes room for at least `size` elements. If the buffer grows, its contents are lost. No copy may be under way.
  void Reserve(std::size_t size) {
    if (size <= size_) return;
    Free();
    KAURI_CUDA_CHECK(cudaMallocHost(reinterpret_cast<void**>(&data_), size * sizeof(T)));
    size_ = size;
    context_id_ = ContextId();
  }

 private:
  void Free() {
    if (data_ != nullptr && cudaFreeHost(data_) != cudaSuccess) cudaGetLastError();  // the next call would return it
    data_ = nullptr;
    size_ = 0;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::uint64_t context_id_ = 0;
};

/// Buffers that nobody uses. To lock 24 MiB and to free them takes 5 ms, in which no other thread can call the device.
/// Objects live as long as the process, because CUDA may end before static objects do. Thread-safe.
template <typename T>
class IdlePinned {
 public:
  /// At most `most` buffers of at most `most_elements` stay, of each context.
  IdlePinned(std::size_t most, std::size_t most_elements) : most_(most), most_elements_(most_elements) {}

  /// Returns a buffer of the current device's context, of any size; an empty one if there is none.
  PinnedBuffer<T> Take() {
    auto const context_id = ContextId();
    std::lock_guard<std::mutex> const lock(mutex_);
    auto& idle = idle_[context_id];
    idle.reserve(most_);  // so that GiveBack does not fail
    if (idle.empty()) return {};
    auto buffer = std::move(idle.back());
    idle.pop_back();
    return buffer;
  }
  /// buffer: no copy is under way.
  void GiveBack(PinnedBuffer<T> buffer) {
    std::lock_guard<std::mutex> const lock(mutex_);
    auto const idle = idle_.find(buffer.Owner());
    auto const fits = buffer.size() > 0 && buffer.size() <= most_elements_;
    if (fits && idle != idle_.end() && idle->second.size() < most_) idle->second.push_back(std::move(buffer));
  }

 private:
  std::size_t most_;
  std::size_t most_elements_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::vector<PinnedBuffer<T>>> idle_;
};

/// Makes room for `size` elements. Page-locked memory costs up to a millisecond, so the buffer at least doubles, from
/// 32 KiB on. For memory that stays small.
template <typename T>
void ReserveMore(std::size_t size, PinnedBuffer<T>* buffer) {
  constexpr std::size_t kLeastBytes = std::size_t{32} << 10U;
  if (size > buffer->size()) buffer->Reserve(std::max({size, 2 * buffer->size(), kLeastBytes / sizeof(T)}));
}

/// A batch of arrays: Add arrays, Send them, and take their device addresses with At. The object is kept for the next
/// batch. Clear may be called once the stream has passed all uses of the last batch.
class Upload {
 public:
  void Clear() { bytes_.clear(); }
  /// Returns the array's place, for At.
  template <typename T>
  std::size_t Add(std::vector<T> const& values) {
    auto const place = (bytes_.size() + kAlignment - 1) / kAlignment * kAlignment;
    bytes_.resize(place + values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(bytes_.data() + place, values.data(), values.size() * sizeof(T));
    return place;
  }
  /// Does the same with n zeros.
  template <typename T>
  std::size_t AddZeros(std::size_t n) {
    auto const place = (bytes_.size() + kAlignment - 1) / kAlignment * kAlignment;
    bytes_.resize(place);
    bytes_.resize(place + n * sizeof(T), 0);
    return place;
  }
  void Send(CudaContext const& cuda) {
    n_sent_ = 0;
    ReserveMore(bytes_.size(), &page_locked_);
    device_.Reserve(cuda, bytes_.empty() ? 0 : page_locked_.size());
    if (!bytes_.empty()) std::memcpy(page_locked_.data(), bytes_.data(), bytes_.size());
    CopyToDevice(cuda, page_locked_.data(), bytes_.size(), device_.data());
    n_sent_ = bytes_.size();
  }
  /// Sends the arrays unless they equal the arrays sent last. For arrays that kernels do not write.
  void SendChanges(CudaContext const& cuda) {
    auto const is_there = bytes_.size() == n_sent_ && std::equal(bytes_.begin(), bytes_.end(), page_locked_.data());
    if (!is_there) Send(cuda);
  }
  template <typename T>
  T* At(std::size_t place) const {
    return reinterpret_cast<T*>(device_.data() + place);
  }

 private:
  static constexpr std::size_t kAlignment = 16;
  std::vector<unsigned char> bytes_;
  std::size_t n_sent_ = 0;
  PinnedBuffer<unsigned char> page_locked_;
  Buffer<unsigned char> device_;
};

}  // namespace kauri::cuda
