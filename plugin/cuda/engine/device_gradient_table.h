/// \file The gradients of all outputs in fixed point, side by side, in device memory: engine/gradient_table.h.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/engine/round_kernels.h"
#include "kauri/gradient.h"
#include "kauri/span.h"

namespace kauri::cuda {

/// Like GradientTable, with the same bits, but with the values in device memory.
class DeviceGradientTable {
 public:
  /// sampled (out): [n_rows], 1 = used; empty: not needed. Waits for the statistics that determine the units. \throws
  /// Error(kData) for a gradient or hessian that is not finite, naming the row; Error(kMemory).
  void Quantise(CudaContext const& cuda, PairTable const& gradients, RowSample const& sample,
                Span<std::uint8_t> sampled);
  /// Copies a table from host memory. \throws Error(kMemory).
  void Upload(CudaContext const& cuda, GradientTableView const& table);
  /// Returns a view with the values on the device and the units on the host.
  GradientTableView View() const { return {{values_.data(), size_}, units_, n_hessians_, stride_}; }

 private:
  void Resize(CudaContext const& cuda, std::int64_t n_rows);

  Buffer<std::int32_t> values_;
  std::size_t size_ = 0;  ///< n_rows * stride
  std::vector<GradientUnit> units_;
  std::int64_t n_hessians_ = 0;
  std::int64_t stride_ = 0;
};

}  // namespace kauri::cuda
