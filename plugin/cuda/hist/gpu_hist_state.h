/// \file What tree_method=gpu_hist keeps for one data set in device memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/event.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/common/upload.h"
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

/// What is asked of a level, on its way to the device.
struct LevelRequest {
  std::vector<HistogramNode> histogram_nodes;
  std::vector<SearchedPair> pairs;
  std::vector<SearchedNode> searched;
  std::vector<std::uint8_t> allowed;
  std::vector<std::uint64_t> noise_keys;          ///< [n_searched] where there is noise
  std::vector<GrowingNode<ScalarGrowth>*> nodes;  ///< [n_searched]
  std::vector<WantedNode> wanted;                 ///< [n_pairs]: whose rows are added up

  void Clear();
};

/// Codes, and what trees grow in: all but the codes is scratch, which stays for other codes.
struct HistOnDevice {
  HistOnDevice(CudaContext const& cuda, std::shared_ptr<DeviceBins const> made)
      : levels(cuda.device), gradients_ready(cuda.device), sums_of_ranks(cuda.device) {
    TakeBins(cuda, std::move(made));
  }
  /// Other codes of as many rows, for the trees to come; those before may be gone already. Shares get theirs from
  /// ShareRows.
  void TakeBins(CudaContext const& cuda, std::shared_ptr<DeviceBins const> made);
  /// Cuts the rows of the bins into shares of these devices, the first of which has the bins; of as many of them as get
  /// `fewest` rows or more. Once for the codes; with other codes, the same devices have the same rows again.
  /// \throws Error(kMemory): to be called again.
  void ShareRows(CudaContext const& cuda, std::vector<int> const& devices, std::int64_t fewest);
  /// Codes of more rows, in the host's memory, behind those of the bins. \throws Error(kMemory).
  void AddHostRows(CudaContext const& cuda, DeviceBins const& whole);
  /// A new tree. count: whether behind the sums of a histogram lie their counts, as on the host
  /// (tree/histogram/cell_counts.h), a FixedSum each.
  void BeginTree(CudaContext const& cuda, bool count);
  /// What splits between these bins are looked for with, whatever the tree and the nodes.
  FindTask FindTaskOf(GainParam const& gain) const;

  std::shared_ptr<DeviceBins const> bins;  ///< null between bins and those that take their place
  Buffer<float> min_values;                ///< [n_cols]: as in the cuts
  Buffer<std::uint8_t> is_categorical;     ///< [n_cols], or empty: none is
  std::vector<std::uint32_t> categorical;  ///< the features that are, ascending, host
  std::int64_t n_own_rows = 0;             ///< of the rows, from the first on: those of no other device
  GrowingRowsOnDevice rows;                ///< of those
  RowRecords records;                      ///< likewise
  FewRowsState few_rows;
  TreeLevels levels;
  std::vector<std::unique_ptr<HistShare>> shares;  ///< of other devices
  bool is_shared = false;                          ///< ShareRows has seen to these codes
  Event gradients_ready;                           ///< of a tree, for them
  RankSums sums_of_ranks;
  DeviceHistograms histograms;
  std::optional<std::size_t> room_for_round;  ///< bytes that trees which grow together may take, once asked for
  bool has_said_obstacle = false;             ///< the log has why the host takes part in every level
  bool counts_rows = false;                   ///< of the tree, here and in the shares
  Buffer<FixedPair> ones;  ///< [number of rows of the bins] what counts are made of, if rows are counted
  GrowthMemory<ScalarGrowth> growth;
  LevelRequest request;
  Upload of_tree;  ///< what stays the same for all nodes of a tree
  Upload of_categories;
  Upload of_walk;
  Upload of_level;  ///< what is asked of a level
  Upload of_moves;  ///< and of its rows, where that is sent first
  Upload of_counts;
  Buffer<PlannedRows> plan;
  PinnedBuffer<SplitCandidate> best;  ///< answers
  LevelMemory level;                  ///< of symmetric trees
  PinnedBuffer<FixedSum> category_cells;
};

}  // namespace kauri::cuda
