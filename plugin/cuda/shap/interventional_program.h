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
  std::uint32_t most_features;  ///< of a leaf with a table; at most MostTableFeatures
  std::int64_t piece_doubles;   ///< of the tables of a piece, unless one item has more
};

/// The device makes the tables where none takes more shared memory than a block has; otherwise the host makes all of
/// them, whose threads would have little to do at a time with some. No bit depends on who does. Immutable.
class InterventionalProgram {
 public:
  /// Takes the host as long as it takes to walk the trees once; waits for the copies. About 80 bytes of device memory a
  /// leaf and 16 more for each of its features. \throws Error(kParameter) for a path of more than kMostPlaces features.
  InterventionalProgram(Context const& ctx, CudaContext const& cuda, Forest const& forest, TreeRange trees,
                        TableLimits const& limits);

  TreeRange Trees() const { return trees_; }
  /// Whether the device makes the tables; otherwise there are no pieces.
  bool IsForDevice() const { return is_for_device_; }
  /// All leaves with features, in order.
  std::vector<TablePiece> const& Pieces() const { return pieces_; }
  /// Of the tables of any piece.
  std::int64_t MostTableDoubles() const;
  /// Of integer sums of contributions (interventional_lanes.h).
  double Scale() const { return scale_; }

  /// Whether there are leaves of LeafForm::kPairs.
  bool HasPairs() const { return weights_size_ > 0; }
  TableBackground Background(RowKeys const& keys) const {
    return {keys, categories_->View(), rules_.data(), weights_.data(), weights_size_};
  }
  /// means (out): [n_trees], what trees without splits are worth, 0 for others. Asynchronous.
  void StartMeans(CudaContext const& cuda, double* means) const;
  /// of_output (out): [n_outputs], from the means of all trees, [n_trees]. Asynchronous.
  void SumMeans(CudaContext const& cuda, double const* means, std::int64_t n_outputs, double* of_output) const;

 private:
  void CompileTrees(Context const& ctx, CudaContext const& cuda, Forest const& forest, TableLimits const& limits);
  void SetWeights(CudaContext const& cuda, std::uint32_t longest);
  void AddBatches(CudaContext const& cuda, std::vector<LaneBatch> const& batches);

  TreeRange trees_;
  double scale_;
  bool is_for_device_ = true;
  std::vector<TablePiece> pieces_;
  std::optional<DeviceCategories> categories_;  ///< once all trees are compiled
  Buffer<TableRule> rules_;
  Buffer<double> weights_;
  std::uint32_t weights_size_ = 0;
  Buffer<double> start_means_;
  Buffer<std::int32_t> output_of_tree_;
};

}  // namespace kauri::cuda
