/// \file The round of the rows of one share (tree/cut_rows.h), computed on the device that splits them: margins,
/// labels, gradients and leaves of these rows alone, so that none of them crosses to the main device.
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

namespace kauri::cuda {

/// Arrays of all rows on the main device.
struct WholeRows {
  CudaContext const& main;
  Event const& ready;  ///< reached when the arrays are complete
  DeviceInfo const& info;
  std::uint64_t revision;  ///< of the info
  float const* margins;    ///< [n_rows, n_outputs]
  std::int64_t n_outputs;
};

/// Rows of a device other than the main one. A thread of its own calls the device. Calls are queued and executed later,
/// in order; an error is thrown by the next call that is documented to wait. Objects that calls refer to must live
/// until then.
class ApartRows {
 public:
  /// \throws Error(kMemory).
  ApartRows(int device, RowsOfShare place, WholeRows const& whole);

  RowsOfShare Place() const { return place_; }
  CudaContext const& Cuda() const { return stream_.Context(); }

  /// Copies labels, weights and bounds from the main device. This and the three following calls wait.
  void TakeInfo(WholeRows const& whole);
  void TakeMargins(WholeRows const& whole);
  /// GiveMargins and GiveGradients copy to the main device, whose stream waits.
  void GiveMargins(CudaContext const& main, float* margins);
  void GiveGradients(CudaContext const& main, GradientPair* gradients);

  /// Computes the gradients of a round and their largest magnitudes.
  void ComputeGradients(Context const& ctx, DeviceObjective const& objective, std::int64_t iteration);
  /// Returns the largest magnitudes, [n_outputs], in memory that the main device can read. Its stream waits for them.
  /// Waits until the work is queued, not until it has finished.
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
  ShareInput Input();
  /// Adds the values of a tree's leaves to the margins.
  void AddLeaves(std::vector<float> const& values, std::int64_t output);

 private:
  PairTable Gradients() const { return {gradients_.span(), n_outputs_}; }
  DeviceInfo Info() const;

  StreamOwner stream_;  ///< declared before what is freed on it
  RowsOfShare place_;
  std::int64_t n_outputs_;
  std::int64_t n_targets_ = 1;
  Buffer<float> margins_;  ///< [count, n_outputs]
  Buffer<float> labels_;
  Buffer<float> weights_;
  Buffer<float> lower_bounds_;
  Buffer<float> upper_bounds_;
  Buffer<GradientPair> gradients_;  ///< [count, n_outputs]
  DevicePairSummary summary_;
  Buffer<FixedPair> pairs_;
  Buffer<std::uint8_t> sampled_;
  bool is_sampled_ = false;  ///< whether the last tree uses only some rows
  Buffer<std::int32_t> leaf_of_row_;
  Upload leaf_values_;
  Event ready_;
  Event found_;                               ///< the largest magnitudes of these rows are found
  Buffer<LargestMagnitude> largest_on_main_;  ///< a copy, if the main device cannot read the share's
  FixedSum sum_;
  DeviceWorker::Ticket computed_ = 0;   ///< the largest magnitudes are queued
  DeviceWorker::Ticket quantised_ = 0;  ///< the input of a tree is queued
  DeviceWorker::Ticket last_ = 0;       ///< the last task
  DeviceWorker worker_;                 ///< declared after what its tasks use
};

}  // namespace kauri::cuda
