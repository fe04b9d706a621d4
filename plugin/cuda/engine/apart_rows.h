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
#include "cuda/common/upload.h"
#include "cuda/data/device_info.h"
#include "cuda/engine/round_kernels.h"
#include "cuda/objective/device_objective.h"
#include "cuda/tree/cut_rows.h"
#include "cuda/tree/device_tree_builder.h"

namespace kauri::cuda {

/// Arrays of all rows on the main device.
struct WholeRows {
  CudaContext const& main;
  Event const& ready;  ///< when they are there
  DeviceInfo const& info;
  std::uint64_t revision;  ///< of the info
  float const* margins;    ///< [n_rows, n_outputs]
  std::int64_t n_outputs;
};

/// Of a device other than the main one, which a thread of its own calls: what is asked here is done later, in the order
/// of the calls, and what fails is thrown by the next call that says that it waits. What calls refer to must live until
/// then.
class ApartRows {
 public:
  /// \throws Error(kMemory).
  ApartRows(int device, RowsOfShare place, WholeRows const& whole);

  RowsOfShare Place() const { return place_; }
  CudaContext const& Cuda() const { return stream_.Context(); }

  /// Copies of labels, weights and bounds. These four wait.
  void TakeInfo(WholeRows const& whole);
  void TakeMargins(WholeRows const& whole);
  /// The other way round; the main device's stream waits.
  void GiveMargins(CudaContext const& main, float* margins);
  void GiveGradients(CudaContext const& main, GradientPair* gradients);

  /// The gradients of a round and their largest magnitudes.
  void ComputeGradients(Context const& ctx, DeviceObjective const& objective, std::int64_t iteration);
  /// [n_outputs], as the main device, whose stream waits for them, can read them. Waits until the device is asked for
  /// them, not until it has them.
  LargestMagnitude const* CollectLargest(CudaContext const& main);
  /// The largest magnitudes of all rows, memory of the main device that is there once `ready` is reached, in place of
  /// those of these.
  void TakeLargest(LargestMagnitude const* largest, Event const& ready, int main);
  /// What Quantise found. Waits for it.
  FixedSum Sum();
  /// \throws Error(kData) for the first row whose pair is not finite. Waits for it.
  void RequireFinite(std::int64_t output);

  void WaitForAll() { worker_.Wait(last_); }
  /// Waits; what failed is forgotten.
  void Settle() noexcept { worker_.Settle(); }

  /// What a tree grows from and, for Sum, its sum. sample: by key and rate.
  void Quantise(std::int64_t output, RowSample sample);
  /// Of that; waits until the device is asked for it, not until it has it.
  ShareInput Input();
  /// Adds the values of a tree's leaves to the margins.
  void AddLeaves(std::vector<float> const& values, std::int64_t output);

 private:
  PairTable Gradients() const { return {gradients_.span(), n_outputs_}; }
  DeviceInfo Info() const;

  StreamOwner stream_;  ///< before what is freed on it
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
  bool is_sampled_ = false;  ///< whether the last tree's rows are some of them
  Buffer<std::int32_t> leaf_of_row_;
  Upload leaf_values_;
  Event ready_;
  Event found_;                               ///< the largest magnitudes of these rows are
  Buffer<LargestMagnitude> largest_on_main_;  ///< a copy, where the main device cannot read them
  FixedSum sum_;
  DeviceWorker::Ticket computed_ = 0;   ///< the device was asked for the largest magnitudes
  DeviceWorker::Ticket quantised_ = 0;  ///< the device was asked for what a tree grows from
  DeviceWorker::Ticket last_ = 0;       ///< of what was asked
  DeviceWorker worker_;                 ///< after what its tasks use
};

}  // namespace kauri::cuda
