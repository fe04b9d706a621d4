/// \file Everything that the engine keeps in device memory for one data set.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/data/device_info.h"
#include "cuda/engine/device_features.h"
#include "cuda/engine/device_gradient_table.h"
#include "cuda/engine/sample_by_gradient.h"
#include "cuda/engine/sharded_rows.h"
#include "cuda/forest/walk_forest.h"
#include "engine/margin_cache.h"
#include "engine/round_errors.h"
#include "engine/training_data.h"
#include "kauri/data_matrix.h"
#include "kauri/engine.h"
#include "kauri/metric.h"
#include "kauri/objective.h"
#include "kauri/tree_builder.h"

namespace kauri::cuda {

/// RoundErrors (engine/round_errors.h) for margins and labels in device memory.
class DeviceRoundErrors {
 public:
  /// Begins a round of this objective.
  void Begin(Objective const& objective) {
    slopes_ = LineSlopes(objective);
    is_computed_ = false;
  }
  /// Marks the round's gradients as not computed by the objective.
  void Forget() { slopes_ = LineSlopes(); }
  /// Returns the errors of one tree, as arrays in device memory; without residuals if the loss has another shape.
  /// margins: [n_rows, n_outputs]. The residuals follow from the margins with which the round began. Valid until the
  /// next round. Asynchronous.
  LineErrors Of(CudaContext const& cuda, DeviceInfo const& info, Span<float const> margins, RoundTree const& tree);

 private:
  LineSlopes slopes_;
  bool is_computed_ = false;
  Buffer<float> residuals_;  ///< [n_outputs, n_rows]
};

/// Arrays of the training set alone, for trees that need all rows on the main device.
struct TrainingArrays {
  DeviceGradientTable table;      ///< used instead of pairs once a tree has vector leaves
  DeviceGradientSampler sampler;  ///< samples rows by their gradients
  Buffer<FixedPair> round_pairs;  ///< [n_outputs, n_rows]; empty until the trees of a round grow together
  Buffer<SmallPair> round_small;  ///< [n_outputs, n_rows]: round_pairs in two bytes; empty unless they are rounded
  std::optional<FixedGradients> on_host;  ///< pairs of the last tree before rounding, if the host made them
  Buffer<std::int32_t> round_leaves;      ///< [n_outputs, n_rows]; holds lists of rows until the leaves are written
  bool has_no_round_room = false;         ///< there is no room for the two arrays above
  DeviceRoundErrors errors;               ///< for split_criterion=absolute_error
};

/// Labels, weights, query groups and label bounds of a matrix, which stay with it.
struct InfoArrays {
  Buffer<float> labels;
  Buffer<float> weights;
  Buffer<std::int64_t> group_ptr;
  std::int64_t largest_group = 0;
  Buffer<float> lower_bounds;
  Buffer<float> upper_bounds;
};

class EngineData {
 public:
  MarginCache held;
  bool has_leaf_gradients = false;           ///< leaf values follow from leaf_gradients, not from the trees' gradients
  std::vector<GradientPair> leaf_gradients;  ///< [n_rows, n_outputs], in host memory; used if has_leaf_gradients
  Buffer<float> predictions;                 ///< transformed margins, scratch
  std::unique_ptr<DeviceFeatures> features;
  ShardedRows rows;  ///< margins and gradients
  TrainingArrays arrays;
  TrainingData training;  ///< declared after the memory that its trees read until they are done

  /// Resets the margins to their values without any tree. start: [n_outputs]. \throws Error(kMemory) before anything is
  /// allocated.
  void Restart(CudaContext const& cuda, DataMatrix const& matrix, std::int64_t outputs, Span<float const> start);
  /// Allocates gradients and trees' arrays for a round of the objective.
  /// \throws Error(kMemory) before anything is allocated.
  void BeginRound(CudaContext const& cuda, Objective const& objective);
  /// Does the same for gradients that the caller will pass. Returns memory for them, [n_rows, n_columns].
  Span<GradientPair> BeginGivenRound(CudaContext const& cuda, std::int64_t n_columns);
  /// Allocates arrays for the trees of a round to grow together. Returns whether there is plenty of room.
  bool PrepareRound(CudaContext const& cuda, DataMatrix const& matrix);
  /// Returns the features in device memory: the matrix's own if it is there, or an upload, which is kept from now on.
  /// Returns nothing if they are not there and may not be uploaded, or do not fit.
  std::optional<DeviceRows> Features(CudaContext const& cuda, Context const& ctx, DataMatrix const& matrix,
                                     bool may_upload);
  /// Returns the current labels, weights and query groups.
  DeviceInfo Info(CudaContext const& cuda, Context const& ctx, DataMatrix const& matrix);
  /// Validates metrics. \throws Error(kData) as Metric::Validate. Metrics that passed are not validated again for the
  /// same labels.
  void Validate(MetricList const& metrics, DataMatrix const& matrix);
  /// Warns of gradients that fixed point cannot hold. All gradients are copied to the host only if a warning is likely.
  void WatchResolution(CudaContext const& cuda, MetaInfo const& info, std::int64_t output, GradientUnit unit);

 private:
  void BeginTraining(CudaContext const& cuda);
  bool UploadFeatures(CudaContext const& cuda, Context const& ctx, DataMatrix const& matrix);

  std::shared_ptr<InfoArrays const> info_;  ///< null before the first use
  std::uint64_t info_revision_ = 0;
  MetricList valid_for_;  ///< metrics validated for the labels of valid_revision_ and the number of outputs
  std::uint64_t valid_revision_ = 0;
};

}  // namespace kauri::cuda
