/// \file Samples rows by the size of their gradients on the device, with the same bits as SampleByGradient
/// (tree/sampling/gradient_sampling.h).
///
/// 1. The largest magnitude (8 bytes to the host) is found; its power of two determines the unit of magnitudes.
/// 2. Magnitudes become integers, and their counts and sums are made by bucket (7 KB to the host, which finds the
///    bucket of the threshold).
/// 3. The magnitudes of that bucket are sorted. The host reads them, the highest first, until it has the threshold.
/// 4. Every row is drawn on its own.
/// Bytes per row and output: 8 in (1), 8 in (2), 8 in and 8 out (4); per row besides 4 out (2), 4 in (3), 1 out (4).
/// The host waits three times.
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
  /// Returns the pairs of the outputs, [n_rows, outputs], divided by the chances of their rows, and zero in unused
  /// rows. They are valid until the next draw. sampled (out): [n_rows], 1 = used. \throws Error(kData) for a pair that
  /// is not finite, naming its row; Error(kMemory).
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
