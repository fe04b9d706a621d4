/// \file Histograms of nodes in device memory: lent and taken back, kept from tree to tree. They are lent full of
/// zeros, since rows are added to them.
#pragma once

#include <cstddef>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "kauri/gradient.h"

namespace kauri::cuda {

class DeviceHistograms {
 public:
  DeviceHistograms() = default;
  explicit DeviceHistograms(std::size_t n_sums) : n_sums_(n_sums == 0 ? 1 : n_sums) {}  // data without columns
  /// Takes back whatever is lent; what is lent from now on has n_sums.
  void Resize(CudaContext const& cuda, std::size_t n_sums) {
    Reset(cuda);
    n_sums_ = n_sums == 0 ? 1 : n_sums;  // data without columns
  }
  /// [n_sums] zeros. \throws Error(kMemory) with what is needed.
  FixedSum* Borrow(CudaContext const& cuda);
  void GiveBack(FixedSum* histogram) { used_.push_back(histogram); }
  /// Takes back whatever is lent, and clears all that was: at once, which costs less than one by one.
  void Reset(CudaContext const& cuda);

 private:
  struct Chunk {
    Buffer<FixedSum> sums;
    std::size_t n_lent = 0;  ///< since the last Reset, in their order
  };

  std::size_t SizeOf(Chunk const& chunk) const { return chunk.sums.size() / n_sums_; }
  /// Makes twice as many.
  void Grow(CudaContext const& cuda);

  std::size_t n_sums_ = 0;
  std::vector<Chunk> chunks_;
  std::size_t current_ = 0;      ///< the chunk that is lent from
  std::vector<FixedSum*> used_;  ///< given back since the last Reset
};

}  // namespace kauri::cuda
