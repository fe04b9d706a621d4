/// \file Interventional contributions by lanes of a device: leaves with their tables and the kernel that adds them to
/// sums.
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

/// Leaves in items, in device memory; not owning.
struct LaneWork {
  LaneLeaves leaves;
  std::int64_t n_items;
  std::uint32_t most_places;
};

/// Adds the leaves' contributions to all rows, asynchronously; `keys` row-minor, as many rows as `sums`.
void AddLanes(CudaContext const& cuda, LaneWork const& work, RowKeys const& keys, InterventionalSums const& sums);

/// What of a batch does not depend on a background. Immutable.
class DeviceLanes {
 public:
  /// Asynchronous: the batch must stay until the stream has passed.
  DeviceLanes(CudaContext const& cuda, LaneBatch const& batch);
  /// Without tables, patterns, weights and categories.
  LaneWork Work() const;

 private:
  std::int64_t n_items_;
  std::uint32_t most_places_;
  Buffer<LaneItem> items_;
  Buffer<LaneLeaf> leaves_;
  Buffer<PathFeature> features_;
  Buffer<std::uint32_t> slot_of_place_;
};

/// What conditions on categories refer to. Immutable.
class DeviceCategories {
 public:
  /// Asynchronous: the host's must stay until the stream has passed.
  DeviceCategories(CudaContext const& cuda, PathCategories const& categories);
  CategoryConditionsView View() const { return {conditions_.data(), {sets_.data(), set_data_.data()}}; }

 private:
  Buffer<CategoryCondition> conditions_;
  Buffer<CategorySet> sets_;
  Buffer<std::uint32_t> set_data_;
};

/// A batch with the tables and patterns that the host has made, in device memory: 8 k to 64 k bytes per leaf of 8 to 12
/// features.
class DeviceLaneBatch {
 public:
  /// Waits for the copies. \throws Error(kParameter) for a path of more than kMostPlaces features.
  DeviceLaneBatch(CudaContext const& cuda, Forest const& forest, BackgroundBatches const& batch);
  void Add(CudaContext const& cuda, RowKeys const& keys, InterventionalSums const& sums) const;

 private:
  DeviceLaneBatch(CudaContext const& cuda, LaneBatch const& lanes, BackgroundBatches const& batch);

  DeviceLanes lanes_;
  std::uint32_t weights_size_;
  Buffer<LanePattern> patterns_;
  Buffer<double> tables_;
  Buffer<double> weights_;
  DeviceCategories categories_;
};

/// values (out): [n_outputs, n_slots, n_rows], n_values of them.
void SumsToValues(CudaContext const& cuda, InterventionalSums const& sums, std::int64_t n_values, double* values);

}  // namespace kauri::cuda
