/// \file Memory for large results, which are written once, by all threads: nothing is written to it before.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

#include "common/large_memory.h"
#include "kauri/span.h"

namespace kauri {

/// Owns `size` floats of any value, or none. New memory is on large pages where the system has some.
class FloatMemory {
 public:
  FloatMemory() = default;
  explicit FloatMemory(std::size_t size) : values_(new float[size]), size_(size), capacity_(size) {
    AdviseLargePages(values_.get(), size * sizeof(float));
  }

  /// `memory` with `size` floats, or other memory where it is too small or much too large.
  static FloatMemory Recycled(FloatMemory memory, std::size_t size) {
    if (memory.capacity_ < size || memory.capacity_ / 2 > size) {
      memory = FloatMemory();  // first, so that both are never there
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

/// The memory of a result that has ended, for the next one: the system needs longer to make pages than a device to fill
/// them. Safe from many threads.
class SpareMemory {
 public:
  /// What was kept last; empty when there is nothing.
  FloatMemory Take() {
    std::lock_guard<std::mutex> const lock(mutex_);
    return std::exchange(memory_, FloatMemory());
  }
  /// Keeps it in place of what is there.
  void Keep(FloatMemory memory) {
    std::lock_guard<std::mutex> const lock(mutex_);
    std::swap(memory_, memory);
  }

 private:
  std::mutex mutex_;
  FloatMemory memory_;
};

}  // namespace kauri
