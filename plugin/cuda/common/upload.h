/// \file Small host arrays that go to the device together: a copy costs the host microseconds, whatever its size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/pinned_buffer.h"

namespace kauri::cuda {

/// Room for `size` elements: page-locked memory costs up to a millisecond, so it grows to twice what it was, from 32
/// KiB on. For memory that stays small.
template <typename T>
void ReserveMore(std::size_t size, PinnedBuffer<T>* buffer) {
  constexpr std::size_t kLeastBytes = std::size_t{32} << 10U;
  if (size > buffer->size()) buffer->Reserve(std::max({size, 2 * buffer->size(), kLeastBytes / sizeof(T)}));
}

/// Add arrays, Send them, take their device addresses with At. Kept for the next batch: Clear may be called once the
/// stream has passed what used the last one.
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
  /// The same of n zeros.
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
  /// Send, unless that is what was sent last. For what kernels do not write.
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
