/// \file Tables of leaves against a background (predictor/interventional/interventional.h), made on the device with the
/// host's bits.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/shap/interventional_lanes.h"
#include "cuda/shap/row_keys.h"
#include "cuda/shap/table_kernels.h"
#include "predictor/interventional/interventional_kernel.h"
#include "predictor/lanes/lane_batch.h"

namespace kauri::cuda {

/// The input of the tables; pointers into device memory, not owning.
struct TableBackground {
  RowKeys keys;  ///< row-minor, at least one row and below 2^32; at most MostPairRows where there are pairs
  CategoryConditionsView categories;
  TableRule const* rules;
  DirectWeights weights;  ///< for the longest path, if there are leaves of LeafForm::kPairs
};

/// The sums to which a piece of a model is added; pointers into device memory, not owning.
struct PieceSums {
  RowKeys keys;       ///< keys of the explained rows, row-minor
  ShapSumsView sums;  ///< row-minor
};

/// Leaves, grouped in items. Tables have at most MostTableFeatures features. Immutable.
class TablePiece {
 public:
  /// Waits for the copies. first_tree: the tree of means[0].
  TablePiece(CudaContext const& cuda, LaneBatch const& batch, std::int64_t first_tree);

  std::int64_t TableSize() const { return table_size_; }
  std::int64_t PairTableSize() const { return pair_table_size_; }
  /// Returns whether there are leaves of LeafForm::kPairs.
  bool HasPatterns() const { return patterns_before_item_.back() > 0; }
  /// Makes the tables. Asynchronous. reached (out): [NumLeaves()], by leaf with a table: total weight of the rows of
  /// the background that reach it.
  void MakeTables(CudaContext const& cuda, TableBackground const& background, PieceTables const& tables,
                  double* reached) const;
  /// Adds the contributions of all leaves to the rows' sums, with tables that MakeTables made. Asynchronous. reached
  /// (out): sets the weights of leaves without tables.
  void Add(CudaContext const& cuda, TableBackground const& background, PieceTables const& tables, PieceSums const& to,
           double* reached) const;
  /// Adds to each tree's mean, in `means`, the values of its leaves here, in their order. Asynchronous.
  void AddMeans(CudaContext const& cuda, double const* reached, double* means) const;
  std::size_t NumLeaves() const { return sources_.size(); }

 private:
  /// Leaves whose tables need about as much shared memory as each other.
  struct SizeClass {
    std::int64_t begin = 0;  ///< into leaf_order_
    std::int64_t end = 0;
    std::uint32_t most_features = 0;
  };
  static constexpr std::size_t kNumClasses = 1 + kMostPartFeatures - kMostValueFeatures;

  std::vector<std::uint32_t> OrderLeaves(LaneBatch const& batch);
  std::vector<std::uint32_t> ListPatterns(LaneBatch const& batch);
  void AddWithPatterns(CudaContext const& cuda, TableBackground const& background, PieceSums const& to, LaneWork work,
                       double* reached) const;

  std::int64_t table_size_;
  std::int64_t pair_table_size_;
  std::uint32_t most_features_ = 0;  ///< features of the largest table
  std::array<SizeClass, kNumClasses> classes_;
  DeviceLanes lanes_;
  Buffer<LeafSource> sources_;
  Buffer<LaneTree> trees_;
  Buffer<std::uint32_t> leaf_order_;
  std::vector<std::int64_t> patterns_before_item_;  ///< [n_items + 1], leaves of LeafForm::kPairs
  Buffer<std::uint32_t> pattern_leaves_;
};

/// of_output (out): [n_outputs], the sums of `means` [n_trees] by output, in the order of the trees.
void SumTreeMeans(CudaContext const& cuda, double const* means, std::int32_t const* output_of_tree,
                  std::int64_t n_trees, std::int64_t n_outputs, double* of_output);

}  // namespace kauri::cuda
