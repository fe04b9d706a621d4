/// \file The rows' weights and weighted residuals as the integers of FixedResiduals, in device memory.
#pragma once

#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "kauri/span.h"
#include "kauri/tree_builder.h"
#include "tree/absolute_error/residual_sum.h"

namespace kauri::cuda {

class ResidualRows {
 public:
  /// Computes the integers. errors: arrays in device memory, [n_rows]. sampled: likewise, 1 = used, or empty. Waits for
  /// the largest weight and product, which determine the units. Costs two passes over the rows.
  void Fix(CudaContext const& cuda, LineErrors const& errors, Span<std::uint8_t const> sampled);

  LineScale const& Scale() const { return scale_; }
  ResidualSum const* Sums() const { return sums_.data(); }  ///< [n_rows]

 private:
  LineScale scale_;
  Buffer<ResidualSum> sums_;
  Buffer<unsigned long long> largest_;  ///< [2]: the bits of a weight and of a product
};

}  // namespace kauri::cuda
