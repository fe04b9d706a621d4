/// \file Memory of histograms: fixed-size buffers that are borrowed and given back, and kept from tree to tree.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "kauri/gradient.h"

namespace kauri {

/// Buffers of `n` sums each, 64-byte aligned.
template <typename Sum>
class SumPool {
 public:
  explicit SumPool(std::size_t n) : bytes_((n * sizeof(Sum) / kLine + 1) * kLine) {}

  /// Returns a buffer with undefined contents. \throws std::bad_alloc.
  Sum* Borrow() {
    if (free_.empty()) {
      buffers_.emplace_back(static_cast<Sum*>(std::aligned_alloc(kLine, bytes_)));
      if (buffers_.back() == nullptr) throw std::bad_alloc();
      free_.push_back(buffers_.back().get());
    }
    auto* const buffer = free_.back();
    free_.pop_back();
    return buffer;
  }
  void GiveBack(Sum* buffer) { free_.push_back(buffer); }
  std::size_t NumLent() const { return buffers_.size() - free_.size(); }
  std::size_t BufferBytes() const { return bytes_; }
  /// Takes back all borrowed buffers.
  void GiveBackAll() {
    free_.clear();
    for (auto const& buffer : buffers_) free_.push_back(buffer.get());
  }

 private:
  static constexpr std::size_t kLine = 64;
  struct Free {
    void operator()(Sum* buffer) const { std::free(buffer); }
  };

  std::size_t bytes_;
  std::vector<std::unique_ptr<Sum, Free>> buffers_;
  std::vector<Sum*> free_;
};

/// One sum per cell (see data/bins/bin_matrix.h).
using HistogramPool = SumPool<FixedSum>;

}  // namespace kauri
