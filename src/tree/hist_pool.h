/// \file Memory of histograms: fixed-size buffers that are lent and taken back, kept from tree to tree.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "kauri/gradient.h"

namespace kauri {

/// Sums per cell (see data/bin_matrix.h); 64-byte aligned.
class HistogramPool {
 public:
  explicit HistogramPool(std::uint32_t n_cells) : bytes_((n_cells * sizeof(FixedSum) / kLine + 1) * kLine) {}

  /// The contents are undefined. \throws std::bad_alloc.
  FixedSum* Borrow() {
    if (free_.empty()) {
      buffers_.emplace_back(static_cast<FixedSum*>(std::aligned_alloc(kLine, bytes_)));
      if (buffers_.back() == nullptr) throw std::bad_alloc();
      free_.push_back(buffers_.back().get());
    }
    auto* const buffer = free_.back();
    free_.pop_back();
    return buffer;
  }
  void GiveBack(FixedSum* buffer) { free_.push_back(buffer); }
  /// Takes back whatever is lent.
  void GiveBackAll() {
    free_.clear();
    for (auto const& buffer : buffers_) free_.push_back(buffer.get());
  }

 private:
  static constexpr std::size_t kLine = 64;
  struct Free {
    void operator()(FixedSum* buffer) const { std::free(buffer); }
  };

  std::size_t bytes_;
  std::vector<std::unique_ptr<FixedSum, Free>> buffers_;
  std::vector<FixedSum*> free_;
};

}  // namespace kauri
