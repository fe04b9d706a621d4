/// \file Interventional contributions by lanes of a device: leaves with their tables, and the kernel that adds the
/// contributions to sums.
#pragma once

#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/shap/row_keys.h"
#include "cuda/shap/shap_sums.h"
#include "predictor/lanes/lane_batch.h"

namespace kauri::cuda {

/// Leaves, grouped in items, in device memory. Not owning.
struct LaneWork {
  LaneLeaves leaves;
  std::int64_t n_items;
  std::uint32_t most_places;
  std::uint32_t most_features;  ///< of leaves with tables
};

/// Adds the leaves' contributions to all rows, asynchronously. Pairs are added if `sums` has cells for them. keys and
/// sums: row-minor.
void AddLanes(CudaContext const& cuda, LaneWork const& work, RowKeys const& keys, ShapSumsView const& sums);

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
  std::uint32_t most_features_;
  Buffer<LaneItem> items_;
  Buffer<LaneLeaf> leaves_;
  Buffer<PathFeature> features_;
  Buffer<std::uint32_t> slot_of_place_;
  Buffer<std::int32_t> pair_cells_;
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

/// A batch with tables and patterns made by the host, in device memory: 16 to 64 kB per leaf of 8 to 12 features, with
/// pairs 80 to 160 kB.
class DeviceLaneBatch {
 public:
  /// Waits for the copies. \throws Error(kParameter) for a path of more than kMostPlaces features.
  /// pairs: of the trees; nullptr: none are wanted.
  DeviceLaneBatch(CudaContext const& cuda, Forest const& forest, BackgroundBatches const& batch,
                  PathPairs const* pairs);
  void Add(CudaContext const& cuda, RowKeys const& keys, ShapSumsView const& sums) const;

 private:
  DeviceLaneBatch(CudaContext const& cuda, LaneBatch const& lanes, BackgroundBatches const& batch);

  DeviceLanes lanes_;
  Buffer<LanePattern> patterns_;
  Buffer<std::int64_t> tables_;
  Buffer<std::int64_t> pair_tables_;
  Buffer<double> weights_;
  DirectWeights weights_view_;
  CategoriesOnDevice categories_;
};

}  // namespace kauri::cuda
