/// \file The trees of a range as interventional contributions need them on a device, whatever the background.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/shap/leaf_tables.h"
#include "kauri/context.h"
#include "predictor/forest/forest.h"

namespace kauri::cuda {

/// What the device makes tables of, and how many at a time.
struct TableLimits {
  std::uint32_t most_features;  ///< of a leaf; at most MostTableFeatures
  std::int64_t piece_doubles;   ///< of the tables of a piece, unless one item has more
};

/// The device makes the tables of trees whose leaves all have few enough features. The others are the host's: their
/// leaves keep distinct patterns, whose number nobody knows before they are sorted, or take more shared memory than a
/// block has. Which of the two makes a tree's tables is no question of bits. Immutable.
class InterventionalProgram {
 public:
  /// Takes the host as long as it takes to walk the trees once; waits for the copies. About 80 bytes of device memory a
  /// leaf and 16 more for each of its features.
  InterventionalProgram(Context const& ctx, CudaContext const& cuda, Forest const& forest, TreeRange trees,
                        TableLimits const& limits);

  TreeRange Trees() const { return trees_; }
  /// Of the trees that are the device's, in order.
  std::vector<TablePiece> const& Pieces() const { return pieces_; }
  /// Of the tables of any piece.
  std::int64_t MostTableDoubles() const;
  /// The others, in order.
  std::vector<TreeRange> const& HostTrees() const { return host_trees_; }
  /// Of integer sums of contributions (interventional_lanes.h).
  double Scale() const { return scale_; }

  TableBackground Background(RowKeys const& keys) const { return {keys, categories_->View(), rules_.data()}; }
  /// means (out): [n_trees], what trees without splits are worth, 0 for others. Asynchronous.
  void StartMeans(CudaContext const& cuda, double* means) const;
  /// [n_trees]
  std::int32_t const* OutputOfTree() const { return output_of_tree_.data(); }

 private:
  void AddBatches(CudaContext const& cuda, std::vector<LaneBatch> const& batches);
  void AddHostTree(std::int64_t tree);

  TreeRange trees_;
  double scale_;
  std::vector<TablePiece> pieces_;
  std::vector<TreeRange> host_trees_;
  std::optional<DeviceCategories> categories_;  ///< once all trees are compiled
  Buffer<TableRule> rules_;
  Buffer<double> start_means_;
  Buffer<std::int32_t> output_of_tree_;
};

}  // namespace kauri::cuda
