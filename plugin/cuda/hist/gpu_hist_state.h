/// \file Everything that tree_method=gpu_hist keeps in device memory for one data set.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/event.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/few_rows/few_rows_state.h"
#include "cuda/hist/histogram/add_rows.h"
#include "cuda/hist/histogram/device_histograms.h"
#include "cuda/hist/histogram/row_records.h"
#include "cuda/hist/levels/tree_levels.h"
#include "cuda/hist/rows/growing_rows.h"
#include "cuda/hist/shares/hist_share.h"
#include "cuda/hist/shares/rank_sums.h"
#include "cuda/hist/split/find_splits.h"
#include "cuda/hist/split/level_splits.h"
#include "tree/growth/hist_growth.h"
#include "tree/split_gain.h"

namespace kauri::cuda {

/// Request for a level, before it is sent to the device.
struct LevelRequest {
  std::vector<HistogramNode> histogram_nodes;
  std::vector<SearchedPair> pairs;
  std::vector<SearchedNode> searched;
  std::vector<std::uint8_t> allowed;
  std::vector<std::uint64_t> noise_keys;          ///< [n_searched] if there is noise
  std::vector<GrowingNode<ScalarGrowth>*> nodes;  ///< [n_searched]
  std::vector<WantedNode> wanted;                 ///< [n_pairs]: nodes whose rows are added up

  void Clear();
};

/// Codes and the workspace in which trees grow. All but the codes is scratch, which is kept when the codes are
/// replaced.
struct HistOnDevice {
  HistOnDevice(CudaContext const& cuda, std::shared_ptr<DeviceBins const> made)
      : levels(cuda.device), gradients_ready(cuda.device), sums_of_ranks(cuda.device) {
    TakeBins(cuda, std::move(made));
  }
  /// Takes new codes of the same number of rows for the following trees. The old codes may be gone already. Shares get
  /// their codes from ShareRows.
  void TakeBins(CudaContext const& cuda, std::shared_ptr<DeviceBins const> made);
  /// Splits the rows of the bins among these devices, the first of which has the bins. Uses fewer devices if some would
  /// get fewer than `fewest` rows. Called once for the codes; after TakeBins the same devices have the same rows again.
  /// \throws Error(kMemory): call it again.
  void ShareRows(CudaContext const& cuda, std::vector<int> const& devices, std::int64_t fewest);
  /// Adds codes of the rows that follow the rows of the bins; these codes stay in host memory. \throws Error(kMemory).
  void AddHostRows(CudaContext const& cuda, DeviceBins const& whole);
  /// Begins a tree. count: whether row counts follow the sums of a histogram, one FixedSum per bin as on the host
  /// (tree/histogram/cell_counts.h).
  void BeginTree(CudaContext const& cuda, bool count);
  /// Returns the settings of a split search that depend on the bins alone.
  FindTask FindTaskOf(GainParam const& gain) const;

  std::shared_ptr<DeviceBins const> bins;  ///< null while TakeBins replaces them
  Buffer<float> min_values;                ///< [n_cols], as in the cuts
  Buffer<std::uint8_t> is_categorical;     ///< [n_cols]; empty if there are no categorical features
  std::vector<std::uint32_t> categorical;  ///< indices of the categorical features, ascending, on the host
  std::int64_t n_own_rows = 0;             ///< number of rows, the first ones, that no other device has
  GrowingRowsOnDevice rows;                ///< lists of the own rows
  RowRecords records;                      ///< packed codes and gradients of the own rows
  FewRowsState few_rows;
  TreeLevels levels;
  std::vector<std::unique_ptr<HistShare>> shares;  ///< rows of other devices, or rows whose codes are in host memory
  bool is_shared = false;                          ///< whether ShareRows was called for these codes
  Event gradients_ready;                           ///< gradients of a tree are ready, for the shares
  RankSums sums_of_ranks;
  DeviceHistograms histograms;
  std::optional<std::size_t> room_for_round;  ///< bytes for trees that grow together, once determined
  bool has_said_obstacle = false;             ///< the log already says why the host takes part in every level
  bool counts_rows = false;                   ///< for the current tree, here and in the shares
  Buffer<FixedPair> ones;  ///< [number of rows of the bins], summed as row counts if rows are counted
  GrowthMemory<ScalarGrowth> growth;
  LevelRequest request;
  Upload of_tree;  ///< data that all nodes of a tree share
  Upload of_categories;
  Upload of_walk;
  Upload of_level;  ///< request of a level
  Upload of_moves;  ///< row moves of a level, if they are sent before the request
  Upload of_counts;
  Buffer<PlannedRows> plan;
  PinnedBuffer<SplitCandidate> best;  ///< answers
  LevelMemory level;                  ///< of symmetric trees
  PinnedBuffer<FixedSum> category_cells;
};

}  // namespace kauri::cuda
