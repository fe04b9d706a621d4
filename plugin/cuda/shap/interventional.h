/// \file Interventional contributions on the device: tables are made of each tree against the background and added up
/// for all rows (predictor/interventional/interventional.h has the formulas).
///
/// InterventionalProgram has the trees of a range in the form that interventional contributions need on a device, for
/// any background.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/forest/device_forest.h"
#include "cuda/shap/leaf_tables.h"
#include "cuda/shap/shap_entries.h"
#include "cuda/shap/shap_session.h"
#include "kauri/context.h"
#include "kauri/predictor.h"
#include "predictor/forest/forest.h"
#include "predictor/shap/quadrature_forest.h"

namespace kauri::cuda {

/// Limits on the tables that the device makes.
struct TableLimits {
  std::uint32_t most_features;  ///< features of a leaf with a table; at most MostTableFeatures
  std::int64_t piece_numbers;   ///< size of the tables of a piece, unless a single item has more
};

/// Trees compiled for interventional contributions. The device makes the tables if none of them takes more shared
/// memory than a block has. Otherwise the host makes all of them, because making only some would keep few of its
/// threads busy. The bits do not depend on this choice. Immutable.
class InterventionalProgram {
 public:
  /// Takes the host as long as one traversal of the trees, and waits for the copies. Uses about 90 bytes of device
  /// memory per leaf and 16 more for each of its features, with pairs 4 more for each pair that ends there. \throws
  /// Error(kParameter) for a path of more than kMostPlaces features, Error(kModel) for 2^31 cells of a row.
  InterventionalProgram(Context const& ctx, CudaContext const& cuda, Forest const& forest, TreeRange trees,
                        TableLimits const& limits, QuadratureGoal goal = {});

  TreeRange Trees() const { return trees_; }
  /// Returns whether the device makes the tables. If not, there are no pieces.
  bool IsForDevice() const { return is_for_device_; }
  /// Returns the pieces: all leaves with features, in order.
  std::vector<TablePiece> const& Pieces() const { return pieces_; }
  QuadratureGoal Goal() const { return goal_; }
  /// Returns the pairs of features that share a path, or nullptr if none are wanted.
  DevicePairs const* Pairs() const { return pairs_.has_value() ? &*pairs_ : nullptr; }
  /// Returns where the sums of a row are written.
  ShapEntriesView Entries() const { return entries_->View(); }
  /// Returns the range of each output (OutputRanges), by which sums and means are divided.
  double const* RangeOfOutput() const { return range_of_output_.data(); }

  /// Returns whether there are leaves of LeafForm::kPairs.
  bool HasPatterns() const { return weights_size_ > 0; }
  TableBackground Background(RowKeys const& keys) const {
    auto const are_alone = goal_.semivalue == Semivalue::kTaylorPairs;
    return {keys, categories_->View(), rules_.data(), {weights_.data(), weights_size_, are_alone, kUnitsOfOne}};
  }
  /// means (out): [n_trees], the values of trees without splits divided by the ranges, 0 for other trees. Asynchronous.
  void StartMeans(CudaContext const& cuda, double* means) const;
  /// of_output (out): [n_outputs], summed from the means of all trees, [n_trees]. Asynchronous.
  void SumMeans(CudaContext const& cuda, double const* means, std::int64_t n_outputs, double* of_output) const;

 private:
  void CompileTrees(Context const& ctx, CudaContext const& cuda, Forest const& forest, TableLimits const& limits);
  void SetEntries(CudaContext const& cuda, Forest const& forest);
  void SetWeights(CudaContext const& cuda, std::uint32_t longest);
  void AddBatches(CudaContext const& cuda, std::vector<LaneBatch> const& batches);

  TreeRange trees_;
  QuadratureGoal goal_;
  std::vector<double> ranges_;  ///< OutputRanges
  bool is_for_device_ = true;
  std::optional<DevicePairs> pairs_;
  std::optional<DeviceEntries> entries_;
  Buffer<double> range_of_output_;
  std::vector<TablePiece> pieces_;
  std::optional<CategoriesOnDevice> categories_;  ///< set when all trees are compiled
  Buffer<TableRule> rules_;
  Buffer<double> weights_;
  std::uint32_t weights_size_ = 0;
  Buffer<double> start_means_;
  Buffer<std::int32_t> output_of_tree_;
};

/// Takes the results of rows [begin, end), in device memory until the work of `cuda` that it begins is done.
using ResultsOnDevice =
    std::function<void(CudaContext const& cuda, std::int64_t begin, std::int64_t end, float const* values)>;

/// Results in host memory; rows and background may be on the device. trees: numbered within the forest.
struct InterventionalTask {
  DataView const& rows;
  DataView const& background;
  TreeRange trees;
  MarginStart start;
  Span<float> out;              ///< [n_rows, n_outputs, n_features + 1], with pairs (n_features + 1)^2
  std::int64_t tile_bytes = 0;  ///< of rows, or of the background, on the device; 0: a quarter of the free memory
  QuadratureGoal goal = {};
  ResultsOnDevice each_tile = nullptr;  ///< called for each tile of rows, in order; then `out` is not used
};

/// Keeps the parts that do not depend on the background for the next call. Safe from many threads. The forest must
/// outlive it.
class InterventionalModel {
 public:
  explicit InterventionalModel(DeviceForest const& forest);

  /// Computes the same bits as the host, for any batch of rows. \throws Error(kData) for a background without rows,
  /// Error(kParameter) for a path of more than 64 distinct features, Error(kDevice) for rows on another device,
  /// Error(kMemory).
  void Explain(Context const& ctx, InterventionalTask const& task) const;

 private:
  /// Returns the program of a goal. If too many are kept, the one whose last use is the longest ago is freed once
  /// nobody holds it. The caller must therefore wait for its work before releasing the program.
  std::shared_ptr<InterventionalProgram const> Program(Context const& ctx, TreeRange trees, QuadratureGoal goal) const;

  DeviceForest const& forest_;
  StreamOwner stream_;  ///< before the program, whose buffers are freed on it
  IdleTiles idle_;
  mutable std::mutex mutex_;
  mutable std::vector<std::shared_ptr<InterventionalProgram const>> programs_;  ///< the last ones used, latest first
};

}  // namespace kauri::cuda
