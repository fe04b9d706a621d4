/// \file Interventional contributions by lanes of a device: leaves with their tables, and the kernel that adds the
/// contributions to sums.
#pragma once

#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/shap/row_keys.h"
#include "predictor/lanes/lane_batch.h"

namespace kauri::cuda {

/// Sums as integer multiples of 1 / scale, so that the order of additions does not matter. Not owning.
struct InterventionalSums {
  unsigned long long* sums;  ///< [n_outputs, n_slots, n_rows]; the type that atomicAdd knows
  std::int64_t n_rows;
  std::int64_t n_slots;
  double scale;  ///< a power of two
};

/// Leaves, grouped in items, in device memory. Not owning.
struct LaneWork {
  LaneLeaves leaves;
  std::int64_t n_items;
  std::uint32_t most_places;
};

/// Adds the leaves' contributions to all rows, asynchronously. `keys`: row-minor, with the same number of rows as
/// `sums`.
void AddLanes(CudaContext const& cuda, LaneWork const& work, RowKeys const& keys, InterventionalSums const& sums);

/// The part of a batch that does not depend on a background. Immutable.
class DeviceLanes {
 public:
  /// Copies asynchronously: the batch must stay until the stream has passed.
  DeviceLanes(CudaContext const& cuda, LaneBatch const& batch);
  /// Returns the work without tables, patterns, weights and categories.
  LaneWork Work() const;

 private:
  std::int64_t n_items_;
  std::uint32_t most_places_;
  Buffer<LaneItem> items_;
  Buffer<LaneLeaf> leaves_;
  Buffer<PathFeature> features_;
  Buffer<std::uint32_t> slot_of_place_;
};

/// The data of categorical conditions, on the device. Immutable.
class CategoriesOnDevice {
 public:
  /// Copies asynchronously: `categories` must stay until the stream has passed.
  CategoriesOnDevice(CudaContext const& cuda, PathCategories const& categories);
  CategoryConditionsView View() const { return {conditions_.data(), {sets_.data(), set_data_.data()}}; }

 private:
  Buffer<CategoryCondition> conditions_;
  Buffer<CategorySet> sets_;
  Buffer<std::uint32_t> set_data_;
};

/// A batch with tables and patterns made by the host, in device memory: 8 k to 64 k bytes per leaf of 8 to 12 features.
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
  CategoriesOnDevice categories_;
};

/// Converts sums to float64. values (out): [n_outputs, n_slots, n_rows], n_values of them.
void SumsToValues(CudaContext const& cuda, InterventionalSums const& sums, std::int64_t n_values, double* values);

}  // namespace kauri::cuda
