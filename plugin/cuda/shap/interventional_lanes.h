/// \file Interventional contributions by lanes of a device: a batch of trees and the kernel that adds it to sums.
#pragma once

#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/shap/row_keys.h"
#include "predictor/lanes/lane_batch.h"

namespace kauri::cuda {

/// Integer multiples of 1 / scale, so that the order of additions does not matter; not owning.
struct InterventionalSums {
  unsigned long long* sums;  ///< [n_outputs, n_slots, n_rows]; the type that atomicAdd knows
  std::int64_t n_rows;
  std::int64_t n_slots;
  double scale;  ///< a power of two
};

/// A batch in device memory: 8 k to 64 k bytes per leaf of 8 to 12 features.
class DeviceLaneBatch {
 public:
  /// Waits for the copies. \throws Error(kParameter) for a path of more than kMostPlaces features.
  DeviceLaneBatch(CudaContext const& cuda, Forest const& forest, BackgroundBatches const& batch);

  /// Adds the trees' contributions to all rows, asynchronously; `keys` row-minor, as many rows as `sums`.
  void Add(CudaContext const& cuda, RowKeys const& keys, InterventionalSums const& sums) const;

 private:
  DeviceLaneBatch(CudaContext const& cuda, LaneBatch const& lanes, BackgroundBatches const& batch);

  std::int64_t n_items_;
  std::uint32_t most_places_;
  std::uint32_t weights_size_;
  Buffer<LaneItem> items_;
  Buffer<LaneLeaf> leaves_;
  Buffer<PathFeature> features_;
  Buffer<std::uint32_t> slot_of_place_;
  Buffer<LanePattern> patterns_;
  Buffer<double> tables_;
  Buffer<double> weights_;
  Buffer<CategoryCondition> conditions_;
  Buffer<CategorySet> sets_;
  Buffer<std::uint32_t> set_data_;
};

/// values (out): [n_outputs, n_slots, n_rows], n_values of them.
void SumsToValues(CudaContext const& cuda, InterventionalSums const& sums, std::int64_t n_values, double* values);

}  // namespace kauri::cuda
