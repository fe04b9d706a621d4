/// \file The arrays of one shard of rows for one tree at a time, and the work on them. The main device and every other
/// device do the same, each for its own rows and on its own stream.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/engine/round_kernels.h"
#include "kauri/span.h"

namespace kauri::cuda {

/// The margins that a tree's leaves are added to.
struct LeafTarget {
  std::int64_t n_rows;
  std::int64_t n_outputs;
  std::int64_t output;  ///< output of a tree with scalar leaves
  bool vector_leaves;   ///< the tree has values for all outputs
  Span<float> margins;  ///< [n_rows, n_outputs]; there may be more rows behind them
};

struct TreeArrays {
  DevicePairSummary summary;         ///< of the round's gradients
  Buffer<FixedPair> pairs;           ///< [n_rows]
  Buffer<std::uint8_t> sampled;      ///< [n_rows]; empty until a tree samples rows
  Buffer<std::int32_t> leaf_of_row;  ///< [n_rows]
  Upload leaf_values;

  TreeArrays() = default;
  TreeArrays(CudaContext const& cuda, std::int64_t n_rows)
      : pairs(cuda, ToSize(n_rows)), leaf_of_row(cuda, ToSize(n_rows)) {}

  /// Returns memory for the marks of n_rows rows of a tree with this sampling rate; nothing if all rows are used.
  Span<std::uint8_t> Marks(CudaContext const& cuda, float rate, std::int64_t n_rows);
  /// Quantises one output of `gradients` to `pairs` with the unit of `summary`, which also gets the sum. marks (out): 1
  /// for a used row; empty: not needed.
  void Quantise(CudaContext const& cuda, PairTable const& gradients, std::int64_t output, RowSample const& sample,
                Span<std::uint8_t> marks);
  /// Adds the values of the leaves in leaf_of_row to margins. One copy to the device and one kernel.
  void AddLeaves(CudaContext const& cuda, std::vector<float> const& values, LeafTarget const& to);
};

}  // namespace kauri::cuda
