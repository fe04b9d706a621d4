/// \file Finds all splits of a tree, or of the trees of a round, level by level without the host (levels/level_rows.h).
/// One tree may have shards of its rows on other devices; several trees grow on one device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/common/event.h"
#include "cuda/hist/gpu_hist_state.h"
#include "cuda/hist/levels/decide_level.h"
#include "cuda/hist/tree_rows.h"
#include "tree/split_gain.h"

namespace kauri::cuda {

/// Settings shared by trees that grow together.
struct LevelRules {
  GainParam gain;  ///< its unit is not set
  float gamma;
  int n_levels;
  std::vector<std::uint32_t> const& features;  ///< features that the trees may use, ascending
};

class LevelsFinder {
 public:
  /// tasks: one per tree, equal except for their gradient pairs, which are adjacent in memory, as are their totals on
  /// the device. If there are several trees, they use all rows of one device. leaf_of_row: [n_trees, n_rows].
  LevelsFinder(CudaContext const& cuda, Span<DeviceTreeTask const> tasks, Span<std::int32_t> leaf_of_row,
               HistOnDevice* data)
      : cuda_(cuda),
        tasks_(tasks),
        leaf_of_row_(leaf_of_row),
        bins_(*data->bins),
        levels_(data->levels),
        histograms_(data->histograms),
        rows_({cuda, tasks[0], leaf_of_row}, &data->rows) {}

  /// Returns whether a tree with this many levels may grow this way: there must be room for its histograms, which are
  /// cleared for each tree.
  static bool HasRoom(DeviceBins const& bins, int n_levels);
  /// Returns how many trees may grow together, by the memory that was free at the first call for the data.
  static std::size_t MostTogether(CudaContext const& cuda, int n_levels, HistOnDevice* data);

  /// Puts all rows into the roots, and queues the search of all levels and the writing of the rows' leaves. Called
  /// once.
  void Find(LevelRules const& rules);
  /// Returns the best split of the node at this place of its complete tree. Waits for its level.
  /// \throws Error(kDevice) if a device waited a minute for another's signal.
  SplitCandidate BestAt(std::size_t tree, int depth, std::uint32_t place);
  /// Returns the rows; for a single tree only.
  TreeRows& Rows() { return rows_; }

 private:
  std::uint32_t NumTrees() const { return static_cast<std::uint32_t>(tasks_.size()); }
  LevelPlace Level(int depth) const { return {depth, NumTrees()}; }
  /// Puts all rows into the roots.
  void Reset(int n_levels);
  /// Sends the data that all levels share, and allocates memory for their results.
  void Begin(LevelRules const& rules);
  /// Returns whether all devices are different, so that they may signal each other.
  bool MaySignal() const;
  void BeginSignals();
  /// The following return words of levels_.signals.
  std::uint32_t* Decided() const { return levels_.signals.data(); }
  std::uint32_t* GaveUp() const { return Decided() + kSignalStride; }
  std::uint32_t* AddedBy(std::size_t shard) const { return Decided() + (shard + 2) * kSignalStride; }
  /// Queues the sums of the shards' rows for a level.
  void AskShards(int depth, int n_levels);
  /// Returns the shards' sums, for a stream that waits for them.
  std::vector<FixedSum const*> CollectSums();
  /// Moves the rows of the level to their nodes, and adds up the requested nodes.
  void AddUp(int depth);
  void FindLevel(int depth);
  /// Makes all devices write their rows' leaves of the finished trees.
  void WriteLeaves();

  CudaContext cuda_;
  Span<DeviceTreeTask const> tasks_;
  Span<std::int32_t> leaf_of_row_;
  DeviceBins const& bins_;
  TreeLevels& levels_;
  TreeHistograms& histograms_;
  TreeRows rows_;
  DecideTask decide_{};
  FindTask find_{};
  bool signals_ = false;  ///< devices signal each other instead of using events
  int n_answered_ = 0;    ///< number of levels that the host has waited for
};

}  // namespace kauri::cuda
