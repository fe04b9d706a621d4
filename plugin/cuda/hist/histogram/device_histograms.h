/// \file Histograms of nodes in device memory, lent and taken back; kept from tree to tree. They are zero when lent,
/// because rows are added to them.
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
  /// Takes back all lent histograms; those lent from now on have n_sums sums.
  void Resize(CudaContext const& cuda, std::size_t n_sums) {
    Reset(cuda);
    n_sums_ = n_sums == 0 ? 1 : n_sums;  // data without columns
  }
  /// Returns [n_sums] zeros. \throws Error(kMemory) with the amount that is needed.
  FixedSum* Borrow(CudaContext const& cuda);
  void GiveBack(FixedSum* histogram) { used_.push_back(histogram); }
  /// Takes back all lent histograms and clears all that were lent, in one call per chunk, which is cheaper than one by
  /// one.
  void Reset(CudaContext const& cuda);

 private:
  struct Chunk {
    Buffer<FixedSum> sums;
    std::size_t n_lent = 0;  ///< number lent since the last Reset, in order
  };

  std::size_t SizeOf(Chunk const& chunk) const { return chunk.sums.size() / n_sums_; }
  /// Doubles the number of histograms.
  void Grow(CudaContext const& cuda);

  std::size_t n_sums_ = 0;
  std::vector<Chunk> chunks_;
  std::size_t current_ = 0;      ///< index of the chunk that lends now
  std::vector<FixedSum*> used_;  ///< given back since the last Reset
};

}  // namespace kauri::cuda
