/// \file Small host arrays that are copied to the device together, because a copy costs the host microseconds at any
/// size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/pinned_buffer.h"

namespace kauri::cuda {

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
