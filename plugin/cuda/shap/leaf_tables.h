/// \file Tables of leaves against a background (predictor/interventional/interventional.h), made on the device with the
/// host's bits.
#pragma once

#include <array>
#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/shap/interventional_lanes.h"
#include "cuda/shap/row_keys.h"
#include "predictor/interventional/leaf_form.h"
#include "predictor/lanes/lane_batch.h"

namespace kauri::cuda {

/// LeafRule in memory of the device.
struct TableRule {
  static constexpr std::uint32_t kMostPoints = 8;
  double node[kMostPoints];
  double coefficients[(kMostPartFeatures + 1) * kMostPoints];  ///< [n_features + 1, n_points]
  std::uint32_t n_points;
};

/// By number of features, [kMostPartFeatures + 1]. Waits for the copy.
Buffer<TableRule> MakeTableRules(CudaContext const& cuda);

/// Features of a leaf whose table a block of the device has room to make: 12, or fewer where blocks have less than
/// 144 KiB of shared memory.
std::uint32_t MostTableFeatures(CudaContext const& cuda);

/// What tables are made from; pointers into device memory, not owning.
struct TableBackground {
  RowKeys keys;  ///< row-minor, at least one row and below 2^32
  CategoryConditionsView categories;
  TableRule const* rules;
};

/// Leaves of up to MostTableFeatures features. Immutable.
class TablePiece {
 public:
  /// Waits for the copies. first_tree: the one of `means` below.
  TablePiece(CudaContext const& cuda, LaneBatch const& batch, std::int64_t first_tree);

  std::int64_t TableDoubles() const { return table_doubles_; }
  /// tables (out): [TableDoubles()]. means: by tree; to each is added what its leaves here are worth over the
  /// background, in their order. Asynchronous.
  void MakeTables(CudaContext const& cuda, TableBackground const& background, double* tables, double* means) const;
  /// The leaves with tables that MakeTables has made.
  LaneWork Work(double const* tables, CategoryConditionsView const& categories) const;

 private:
  /// Leaves whose tables need about as much shared memory as each other.
  struct SizeClass {
    std::int64_t begin = 0;  ///< into leaf_order_
    std::int64_t end = 0;
    std::uint32_t most_features = 0;
  };
  static constexpr std::size_t kNumClasses = 1 + kMostPartFeatures - kMostValueFeatures;

  std::vector<std::uint32_t> OrderLeaves(LaneBatch const& batch);

  std::int64_t table_doubles_;
  std::int64_t first_tree_;
  std::uint32_t most_features_ = 0;
  std::array<SizeClass, kNumClasses> classes_;
  DeviceLanes lanes_;
  Buffer<LeafSource> sources_;
  Buffer<LaneTree> trees_;
  Buffer<std::uint32_t> leaf_order_;
};

/// of_output (out): [n_outputs], the sums of `means` [n_trees] by output, in the order of the trees.
void SumTreeMeans(CudaContext const& cuda, double const* means, std::int32_t const* output_of_tree,
                  std::int64_t n_trees, std::int64_t n_outputs, double* of_output);

}  // namespace kauri::cuda
