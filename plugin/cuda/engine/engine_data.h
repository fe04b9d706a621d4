/// \file What the engine keeps of one data set in device memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/upload.h"
#include "cuda/data/device_info.h"
#include "cuda/engine/apart_round.h"
#include "cuda/engine/device_features.h"
#include "cuda/engine/device_gradient_table.h"
#include "cuda/engine/device_round_errors.h"
#include "cuda/engine/round_kernels.h"
#include "cuda/engine/sample_by_gradient.h"
#include "cuda/forest/walk_forest.h"
#include "engine/held_margins.h"
#include "engine/training_data.h"
#include "kauri/data_matrix.h"
#include "kauri/metric.h"
#include "kauri/tree_builder.h"

namespace kauri::cuda {

/// What only the training set has in device memory.
struct TrainingArrays {
  Buffer<GradientPair> gradients;  ///< [n_rows, n_outputs], of which the first [n_rows, n_gradients] are used
  DevicePairSummary summary;
  bool has_largest = false;           ///< whether those of `summary` are of `gradients`
  Buffer<FixedPair> pairs;            ///< [n_rows]
  DeviceGradientTable table;          ///< instead of `pairs`, once a tree has vector leaves
  Buffer<std::uint8_t> sampled;       ///< [n_rows], once a tree samples rows
  DeviceGradientSampler sampler;      ///< of rows by their gradients
  Buffer<std::int32_t> leaf_of_row;   ///< [n_rows]
  Buffer<FixedPair> round_pairs;      ///< [n_outputs, n_rows], once the trees of a round grow together
  Buffer<std::int32_t> round_leaves;  ///< [n_outputs, n_rows], lists of rows until they have their leaves
  bool has_no_round_room = false;     ///< for these two
  Upload leaf_values;
  DeviceRoundErrors errors;  ///< for split_criterion=absolute_error
};

class EngineData {
 public:
  HeldMargins held;
  std::int64_t n_outputs = 1;
  std::int64_t n_gradients = 1;              ///< n_outputs, or fewer where leaves have gradients of their own
  bool leaves_apart = false;                 ///< the leaves' values follow from
  std::vector<GradientPair> leaf_gradients;  ///< [n_rows, n_outputs], in host memory; else from the trees' gradients
  Buffer<float> margins;                     ///< [n_rows, n_outputs]
  Buffer<float> predictions;                 ///< transformed margins, scratch
  std::unique_ptr<DeviceFeatures> features;
  TrainingArrays arrays;
  std::unique_ptr<ApartRound> apart;  ///< of a training set on several devices
  TrainingData training;              ///< after what its trees read until they are done

  /// Margins without any tree. start: [n_outputs]. \throws Error(kMemory) before anything is allocated.
  void Restart(CudaContext const& cuda, DataMatrix const& matrix, std::int64_t outputs, Span<float const> start);
  /// Room for gradients and trees; the gradients are those of an ordinary round until the caller says otherwise.
  /// \throws Error(kMemory) before anything is allocated.
  void PrepareTraining(CudaContext const& cuda, DataMatrix const& matrix);
  /// The same for gradients of the caller, which are to come.
  void ExpectGiven(CudaContext const& cuda, DataMatrix const& matrix);
  /// Room for the trees of a round to grow together; whether there is plenty.
  bool PrepareRound(CudaContext const& cuda, DataMatrix const& matrix);
  /// The features in device memory: those of a matrix that is there, or an upload, which stays from now on. Nothing
  /// when they are not there and may not be uploaded, or there is no room for them.
  std::optional<DeviceRows> Features(CudaContext const& cuda, Context const& ctx, DataMatrix const& matrix,
                                     bool may_upload);
  /// Labels, weights and query groups as of now.
  DeviceInfo Info(CudaContext const& cuda, DataMatrix const& matrix);
  /// \throws Error(kData) as Metric::Validate; metrics that passed are not asked again about the same labels.
  void Validate(MetricList const& metrics, DataMatrix const& matrix);
  /// Warns of gradients that fixed point cannot hold; all of them cross to the host only when there may be something
  /// to say.
  void WatchResolution(CudaContext const& cuda, MetaInfo const& info, std::int64_t output, GradientUnit unit);
  /// Makes `margins` those of all rows; what other devices have is theirs still.
  void CollectMargins(CudaContext const& cuda) const {
    if (apart != nullptr) apart->CollectMargins(cuda, margins.data());
  }
  /// `margins` were changed, or are about to be.
  void LoseMarginsElsewhere() const {
    if (apart != nullptr) apart->LoseMargins();
  }
  /// Those that trees grow on.
  PairTable Gradients() const {
    auto const n_pairs =
        arrays.gradients.size() / static_cast<std::size_t>(n_outputs) * static_cast<std::size_t>(n_gradients);
    return {{arrays.gradients.data(), n_pairs}, n_gradients};
  }

 private:
  bool UploadFeatures(CudaContext const& cuda, Context const& ctx, DataMatrix const& matrix);

  bool has_labels_ = false;
  std::uint64_t labels_revision_ = 0;
  Buffer<float> labels_;
  Buffer<float> weights_;
  Buffer<std::int64_t> group_ptr_;
  std::int64_t largest_group_ = 0;
  Buffer<float> lower_bounds_;
  Buffer<float> upper_bounds_;
  MetricList valid_for_;  ///< what the labels of valid_revision_ and the number of outputs were found to be right for
  std::uint64_t valid_revision_ = 0;
};

}  // namespace kauri::cuda
