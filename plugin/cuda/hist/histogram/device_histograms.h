/// \file Histograms of nodes in device memory: lent and taken back, kept from tree to tree.
#pragma once

#include <cstddef>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "kauri/gradient.h"

namespace kauri::cuda {

class DeviceHistograms {
 public:
  explicit DeviceHistograms(std::size_t n_cells) : n_cells_(n_cells) {}

  /// [n_cells], undefined. \throws Error(kMemory) with what is needed.
  FixedSum* Borrow(CudaContext const& cuda);
  void GiveBack(FixedSum* histogram) { free_.push_back(histogram); }
  /// Takes back whatever is lent.
  void GiveBackAll();

 private:
  /// Makes twice as many.
  void Grow(CudaContext const& cuda);

  std::size_t n_cells_;
  std::size_t n_histograms_ = 0;
  std::vector<Buffer<FixedSum>> chunks_;
  std::vector<FixedSum*> free_;
};

}  // namespace kauri::cuda
