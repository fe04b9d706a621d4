/// \file Sums and prefix sums of float64 values in device memory, in the host's order (common/sums.h).
#pragma once

#include <cstdint>

#include "common/sums.h"
#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "kauri/span.h"

namespace kauri::cuda {

/// Returns the sum and waits for it; 8 or 16 bytes cross to the host.
double SumValues(CudaContext const& cuda, Span<double const> values);
WeightedSum SumScores(CudaContext const& cuda, Span<WeightedSum const> scores);

/// A value has kParts parts, 1 or 2, that are added up separately. Not owning.
template <int kParts>
struct PrefixView {
  double const* within;  ///< [n, kParts], sums within the value's block
  double const* before;  ///< [n_blocks + 1, kParts], sums of the blocks before; the last is the sum of all

  /// Returns the sum of the values [0, index].
  __device__ double At(std::int64_t index, int part = 0) const {
    return before[index / kRowBlock * kParts + part] + within[index * kParts + part];
  }
};

template <int kParts>
class DevicePrefixSums {
 public:
  /// values: [n, kParts], replaced by the sums. Asynchronous; the memory must outlive this object.
  DevicePrefixSums(CudaContext const& cuda, std::int64_t n, double* values);

  PrefixView<kParts> View() const { return {within_, before_.data()}; }
  /// Returns the sum of all values: [kParts], device.
  double const* Total() const { return before_.data() + before_.size() - kParts; }

 private:
  double const* within_;
  Buffer<double> before_;
};

}  // namespace kauri::cuda
