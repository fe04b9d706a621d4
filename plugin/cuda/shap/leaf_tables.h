/// \file Tables of leaves against a background (predictor/interventional/interventional.h), made on the device with the
/// host's bits.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/shap/interventional_lanes.h"
#include "cuda/shap/row_keys.h"
#include "predictor/interventional/interventional_kernel.h"
#include "predictor/lanes/lane_batch.h"

namespace kauri::cuda {

/// LeafRule in device memory.
struct TableRule {
  static constexpr std::uint32_t kMostPoints = 8;
  double node[kMostPoints];
  double coefficients[(kMostPartFeatures + 1) * kMostPoints];  ///< [n_features + 1, n_points]
  std::uint32_t n_points;
};

/// Returns the rules by number of features, [kMostPartFeatures + 1]. Waits for the copy.
Buffer<TableRule> MakeTableRules(CudaContext const& cuda);

/// Returns the largest number of features of a leaf whose table fits into a block's shared memory: 12, or fewer if
/// blocks have less than 144 KiB of it.
std::uint32_t MostTableFeatures(CudaContext const& cuda);

/// The input of the tables; pointers into device memory, not owning.
struct TableBackground {
  RowKeys keys;  ///< row-minor, at least one row and below 2^32; at most MostPairRows where there are pairs
  CategoryConditionsView categories;
  TableRule const* rules;
  double const* weights;  ///< ShapleyWeights::All, for the longest path if there are pairs
  std::uint32_t weights_size;
};

/// The sums to which a piece of a model is added; pointers into device memory, not owning.
struct PieceSums {
  RowKeys keys;  ///< keys of the explained rows, row-minor
  InterventionalSums sums;
  double* means;  ///< by tree: mean of its leaves over the background
};

/// Leaves, grouped in items. Tables have at most MostTableFeatures features. Immutable.
class TablePiece {
 public:
  /// Waits for the copies. first_tree: the tree of means[0].
  TablePiece(CudaContext const& cuda, LaneBatch const& batch, std::int64_t first_tree);

  std::int64_t TableDoubles() const { return table_doubles_; }
  bool HasPairs() const { return pairs_before_item_.back() > 0; }
  /// Makes the tables (out: [TableDoubles()]) and adds the contributions of all leaves to the rows' sums. Adds to each
  /// tree's mean the values of its leaves here, in their order. Asynchronous.
  void Add(CudaContext const& cuda, TableBackground const& background, PieceSums const& to, double* tables) const;

 private:
  /// Leaves whose tables need about as much shared memory as each other.
  struct SizeClass {
    std::int64_t begin = 0;  ///< into leaf_order_
    std::int64_t end = 0;
    std::uint32_t most_features = 0;
  };
  static constexpr std::size_t kNumClasses = 1 + kMostPartFeatures - kMostValueFeatures;

  std::vector<std::uint32_t> OrderLeaves(LaneBatch const& batch);
  std::vector<std::uint32_t> ListPairs(LaneBatch const& batch);
  /// reached (out): by leaf, the total weight of the background rows that reach it.
  void MakeTables(CudaContext const& cuda, TableBackground const& background, double* tables, double* reached) const;
  void AddWithPairs(CudaContext const& cuda, TableBackground const& background, PieceSums const& to, LaneWork work,
                    double* reached) const;

  std::int64_t table_doubles_;
  std::uint32_t most_features_ = 0;  ///< features of the largest table
  std::array<SizeClass, kNumClasses> classes_;
  DeviceLanes lanes_;
  Buffer<LeafSource> sources_;
  Buffer<LaneTree> trees_;
  Buffer<std::uint32_t> leaf_order_;
  std::vector<std::int64_t> pairs_before_item_;  ///< [n_items + 1], leaves of LeafForm::kPairs
  Buffer<std::uint32_t> pair_leaves_;
};

/// of_output (out): [n_outputs], the sums of `means` [n_trees] by output, in the order of the trees.
void SumTreeMeans(CudaContext const& cuda, double const* means, std::int32_t const* output_of_tree,
                  std::int64_t n_trees, std::int64_t n_outputs, double* of_output);

}  // namespace kauri::cuda
