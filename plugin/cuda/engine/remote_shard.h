/// \file The arrays of one shard of rows for one tree at a time (TreeArrays), and the shard of rows (tree/cut_rows.h)
/// of a device other than the main one (RemoteShard): margins, labels, gradients and leaves of these rows, so that none
/// of them crosses to the main device.
///
/// Memory: 4 bytes a row for the margin of each output, 8 for its gradients, 12 for a tree, and the labels.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/device_worker.h"
#include "cuda/common/event.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/data/device_info.h"
#include "cuda/engine/round_kernels.h"
#include "cuda/objective/device_objective.h"
#include "cuda/tree/cut_rows.h"
#include "cuda/tree/device_tree_builder.h"
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

/// The main device and every other device do the same work on these arrays, each for its own rows and on its own
/// stream.
struct TreeArrays {
  DevicePairSummary summary;         ///< of the round's gradients
  Buffer<FixedPair> pairs;           ///< [n_rows]
  Span<SmallPair> small;             ///< [n_rows], the last tree's pairs in two bytes; empty unless they are rounded
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
  /// Sums the pairs of the last Quantise by leaf_of_row, before rounding. Returns [n_nodes] sums. Waits.
  std::vector<FixedSum> SumLeaves(CudaContext const& cuda, std::int64_t n_nodes);
  /// Returns the column of the gradients that the last Quantise took.
  std::int64_t DrawnOutput() const { return drawn_.output; }
  /// Adds the values of the leaves in leaf_of_row to margins. One copy to the device and one kernel.
  void AddLeaves(CudaContext const& cuda, std::vector<float> const& values, LeafTarget const& to);

 private:
  Buffer<SmallPair> small_memory_;
  Buffer<FixedSum> leaf_sums_;
  LeafSumTask drawn_;  ///< the pairs of the last Quantise
};

/// Arrays of all rows on the main device.
struct WholeRows {
  CudaContext const& main;
  Event const& ready;  ///< reached when the arrays are complete
  DeviceInfo const& info;
  float const* margins;  ///< [n_rows, n_outputs]
  std::int64_t n_outputs;
};

/// A thread of the shard's own calls the device. Calls are queued and executed later, in order; an error is thrown by
/// the next call that is documented to wait. Objects that calls refer to must live until then.
class RemoteShard {
 public:
  /// \throws Error(kMemory).
  RemoteShard(int device, ShardRange place, WholeRows const& whole);

  CudaContext const& Cuda() const { return stream_.Context(); }

  /// Copies labels, weights and bounds from the main device. This and the three following calls wait.
  void TakeInfo(WholeRows const& whole);
  void TakeMargins(WholeRows const& whole);
  /// GiveMargins and GiveGradients copy to the main device, whose stream waits.
  void GiveMargins(CudaContext const& main, float* margins);
  void GiveGradients(CudaContext const& main, GradientPair* gradients);

  /// Computes the gradients of a round and their largest magnitudes. `ctx` and `objective` must live until
  /// WaitForGradients or Settle returns.
  void ComputeGradients(Context const& ctx, DeviceObjective const& objective, std::int64_t iteration);
  /// Waits until the gradients' work is queued, not until it has finished.
  void WaitForGradients() { worker_.Wait(computed_); }
  /// Returns the largest magnitudes, [n_outputs], in memory that the main device can read. Its stream waits for them.
  /// Waits like WaitForGradients.
  LargestMagnitude const* CollectLargest(CudaContext const& main);
  /// Sets the largest magnitudes to those over all rows. `largest` is memory of the main device, valid once `ready` is
  /// reached.
  void TakeLargest(LargestMagnitude const* largest, Event const& ready, int main);
  /// Returns the sum that Quantise found. Waits for it.
  FixedSum Sum();
  /// \throws Error(kData) for the first row whose pair is not finite. Waits for it.
  void RequireFinite(std::int64_t output);

  void WaitForAll() { worker_.Wait(last_); }
  /// Waits for all queued work; discards errors.
  void Settle() noexcept { worker_.Settle(); }

  /// Makes the input of a tree and, for Sum, its sum. sample: by key and rate.
  void Quantise(std::int64_t output, RowSample sample);
  /// Returns the input made by Quantise. Waits until the work is queued, not until it has finished.
  ShardInput Input();
  /// Sums the pairs of the last tree by leaf, before rounding; LeafSums returns them, and waits.
  void SumLeaves(std::int64_t n_nodes);
  std::vector<FixedSum> const& LeafSums();
  /// Adds the values of a tree's leaves to the margins. output: output of a tree with scalar leaves.
  void AddLeaves(std::vector<float> const& values, bool vector_leaves, std::int64_t output);

 private:
  PairTable Gradients() const { return {gradients_.span(), n_outputs_}; }
  DeviceInfo Info() const;

  StreamOwner stream_;  ///< declared before what is freed on it
  ShardRange place_;
  std::int64_t n_outputs_;
  std::int64_t n_targets_ = 1;
  Buffer<float> margins_;  ///< [count, n_outputs]
  Buffer<float> labels_;
  Buffer<float> weights_;
  Buffer<float> lower_bounds_;
  Buffer<float> upper_bounds_;
  Buffer<GradientPair> gradients_;  ///< [count, n_outputs]
  TreeArrays tree_;
  Span<std::uint8_t> marks_;  ///< of the last tree; empty if it uses all rows
  Event ready_;
  Event largest_ready_;                       ///< the largest magnitudes of these rows are found
  Buffer<LargestMagnitude> largest_on_main_;  ///< a copy, if the main device cannot read the shard's
  FixedSum sum_;
  std::vector<FixedSum> leaf_sums_;
  DeviceWorker::Ticket computed_ = 0;   ///< the largest magnitudes are queued
  DeviceWorker::Ticket quantised_ = 0;  ///< the input of a tree is queued
  DeviceWorker::Ticket last_ = 0;       ///< the last task
  DeviceWorker worker_;                 ///< declared after what its tasks use
};

}  // namespace kauri::cuda
