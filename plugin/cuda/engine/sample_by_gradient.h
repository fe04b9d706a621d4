/// \file Rows drawn by the size of their gradients, on the device: SampleByGradient
/// (tree/sampling/gradient_sampling.h), bit for bit.
///
/// 1. The largest magnitude (8 bytes to the host), whose power of two is what magnitudes are counted in.
/// 2. Magnitudes as integers, and their counts and sums by bucket (7 KB to the host, which finds the threshold's).
/// 3. The magnitudes of that bucket are sorted; the host reads them, the highest first, until it has the threshold.
/// 4. Every row draws on its own.
/// Bytes per row and output: 8 in (1), 8 in (2), 8 in and 8 out (4); per row besides 4 out (2), 4 in (3), 1 out (4).
/// Three waits.
#pragma once

#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/engine/round_kernels.h"
#include "kauri/gradient.h"
#include "kauri/span.h"
#include "tree/sampling/gradient_sampling.h"

namespace kauri::cuda {

/// Keeps its memory from tree to tree.
class DeviceGradientSampler {
 public:
  /// The pairs of the outputs, [n_rows, outputs], divided by their rows' chances, zero where a row is not used; they
  /// stay until the next draw. sampled (out): [n_rows], 1 = used. \throws Error(kData) for a pair that is not finite,
  /// naming its row; Error(kMemory).
  PairTable Draw(CudaContext const& cuda, PairTable const& gradients, OutputRange const& outputs,
                 RowSample const& sample, Span<std::uint8_t> sampled);

 private:
  double FindThreshold(CudaContext const& cuda, PairTable const& gradients, OutputRange const& outputs, float rate);
  double ReadThreshold(CudaContext const& cuda, ThresholdSearch search, std::int64_t count);

  Buffer<std::uint32_t> magnitudes_;  ///< [n_rows]
  Buffer<std::uint32_t> of_bucket_;
  Buffer<std::uint32_t> sorted_;
  Buffer<GradientPair> pairs_;
};

}  // namespace kauri::cuda
