/// \file Interactions of sets of any size on a device, with the bits of the host
/// (predictor/interactions/set_interactions.h).
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/forest/device_forest.h"
#include "cuda/shap/select_largest.h"
#include "cuda/shap/set_lanes.h"
#include "cuda/shap/shap_session.h"
#include "kauri/context.h"
#include "kauri/predictor.h"
#include "predictor/interactions/set_interactions.h"

namespace kauri::cuda {

/// The compiled trees and the entries of a row for one kind of call, on the host and on the device. Immutable.
class SetPlan {
 public:
  /// Waits for the copies. \throws Error(kParameter) as CompileInteractions and SetEntries.
  SetPlan(CudaContext const& cuda, Forest const& forest, TreeRange trees, SetInteractionOptions const& options);

  /// Returns whether the plan is of these trees and options.
  bool IsOf(TreeRange trees, SetInteractionOptions const& options) const;
  InteractionForest const& Compiled() const { return *compiled_; }
  SetEntries const& Entries() const { return entries_; }
  /// Returns the floats of a row that come back: values, or with a top_k two for each pick.
  std::int64_t RowFloats() const { return options_.top_k == 0 ? RowValues() : 2 * entries_.RowEntries(); }
  /// Returns the values of a row before the largest are picked.
  std::int64_t RowValues() const { return fillable_begin_.back(); }
  /// Returns the device memory of a row's sums and values.
  std::int64_t RowBytes() const;

  /// Computes all values of a tile, [n_rows, RowFloats()]. Asynchronous.
  void Compute(CudaContext const& cuda, RowKeys const& keys, float* out) const;
  /// Writes the sets and values of the entries of rows from floats of Compute, which are not read without a top_k.
  void Fill(Context const& ctx, std::int64_t n_rows, std::vector<float> const& floats, SetInteractions* out) const;

 private:
  void SetTrees(CudaContext const& cuda, Forest const& forest);
  void SetSegments(CudaContext const& cuda);
  void ComputeValues(CudaContext const& cuda, RowKeys const& keys, float* values) const;
  void Pick(CudaContext const& cuda, float const* values, std::int64_t n_rows, float* picks) const;

  TreeRange trees_;
  SetInteractionOptions options_;
  std::shared_ptr<InteractionForest const> compiled_;
  SetEntries entries_;
  DeviceSets sets_;
  std::vector<std::int64_t> fillable_begin_;  ///< [n_outputs + 1], into a row's values
  std::vector<std::int64_t> tree_begin_;      ///< [n_outputs + 1], into the numbers
  std::vector<std::int32_t> most_places_;     ///< [n_outputs]
  Buffer<std::uint32_t> fillable_;
  Buffer<std::int32_t> numbers_;
  Buffer<std::int64_t> share_begin_;  ///< empty: not k-SII
  Buffer<SetShare> shares_;
  Buffer<PickSegment> segments_;
};

/// Explains rows on one device. Keeps the plan of the last call. Safe from many threads. The forest must outlive it.
class SetModel {
 public:
  explicit SetModel(DeviceForest const& forest);

  /// Does what ComputeSetInteractions does, with the same bits, in tiles of rows. tile_bytes: device memory of a tile;
  /// 0: a share of the free memory. \throws Error(kParameter) and Error(kModel) as ComputeSetInteractions,
  /// Error(kMemory), Error(kDevice) for rows on another device.
  void Explain(Context const& ctx, PredictTask const& task, SetInteractionOptions const& options, SetInteractions* out,
               std::int64_t tile_bytes = 0) const;

 private:
  std::shared_ptr<SetPlan const> Plan(TreeRange trees, SetInteractionOptions const& options) const;
  void RunTiles(Context const& ctx, PredictTask const& task, SetPlan const& plan, std::int64_t tile_bytes,
                float* out) const;

  DeviceForest const& on_device_;
  Forest const& forest_;
  StreamOwner stream_;  ///< before the plan, whose buffers are freed on it
  IdleTiles idle_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<SetPlan const> plan_;
};

}  // namespace kauri::cuda
