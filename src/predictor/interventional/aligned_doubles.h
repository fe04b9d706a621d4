/// \file Doubles aligned for vector instructions, in reusable memory.
#pragma once

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <new>

namespace kauri {

class AlignedDoubles {
 public:
  /// Makes room for at least `size` doubles. The contents are lost when the memory grows.
  void Reserve(std::size_t size) {
    if (size <= size_) return;
    values_.reset();
    values_ = hwy::AllocateAligned<double>(size);
    if (values_ == nullptr) throw std::bad_alloc();
    size_ = size;
  }
  std::size_t Size() const { return size_; }
  double* Data() { return values_.get(); }
  double const* Data() const { return values_.get(); }

 private:
  hwy::AlignedFreeUniquePtr<double[]> values_;
  std::size_t size_ = 0;
};

}  // namespace kauri
