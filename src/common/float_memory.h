/// \file Memory for large results that all threads write exactly once; it is not initialised before.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

#include "common/large_memory.h"
#include "kauri/span.h"

namespace kauri {

/// Owns `size` uninitialised floats, or none. New memory is on large pages if the system has them.
class FloatMemory {
 public:
  FloatMemory() = default;
  explicit FloatMemory(std::size_t size) : values_(new float[size]), size_(size), capacity_(size) {
    AdviseLargePages(values_.get(), size * sizeof(float));
  }

  /// Returns `memory` with `size` floats, or new memory if it is too small or much too large.
  static FloatMemory Recycled(FloatMemory memory, std::size_t size) {
    if (memory.capacity_ < size || memory.capacity_ / 2 > size) {
      memory = FloatMemory();  // freed first, so that both never exist at once
      return FloatMemory(size);
    }
    memory.size_ = size;
    return memory;
  }

  Span<float> Values() const { return {values_.get(), size_}; }
  bool Empty() const { return capacity_ == 0; }

 private:
  std::unique_ptr<float[]> values_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// The memory of a freed result, kept for the next one: the system needs longer to make pages than a device to fill
/// them. Thread-safe.
class SpareMemory {
 public:
  /// Returns the memory that was kept last; empty if there is none.
  FloatMemory Take() {
    std::lock_guard<std::mutex> const lock(mutex_);
    return std::exchange(memory_, FloatMemory());
  }
  /// Keeps `memory` in place of earlier memory.
  void Keep(FloatMemory memory) {
    std::lock_guard<std::mutex> const lock(mutex_);
    std::swap(memory_, memory);
  }

 private:
  std::mutex mutex_;
  FloatMemory memory_;
};

}  // namespace kauri
