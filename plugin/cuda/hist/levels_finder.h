/// \file Finding all splits of a tree, or of the trees of a round, level by level without the host
/// (levels/level_rows.h): one tree on one device or with shares of its rows on others, several on one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/common/far_signal.h"
#include "cuda/hist/hist_task.h"
#include "cuda/hist/levels/decide_level.h"
#include "cuda/hist/tree_rows.h"
#include "tree/split_gain.h"

namespace kauri::cuda {

/// What is asked of trees that grow together.
struct LevelRules {
  GainParam gain;  ///< without a unit
  float gamma;
  int n_levels;
  std::vector<std::uint32_t> const& features;  ///< that they may use, ascending
};

class LevelsFinder {
 public:
  /// tasks: of each tree, alike but for their pairs, which lie side by side, as their totals do on the device. Those of
  /// several trees use all rows of one device. leaf_of_row: [n_trees, n_rows].
  LevelsFinder(CudaContext const& cuda, Span<DeviceTreeTask const> tasks, Span<std::int32_t> leaf_of_row,
               HistOnDevice* data)
      : cuda_(cuda),
        tasks_(tasks),
        leaf_of_row_(leaf_of_row),
        data_(data),
        rows_({cuda, tasks[0], leaf_of_row}, data) {}

  /// Whether a tree of so many levels may grow so: its histograms have room, and are cleared for each tree.
  static bool HasRoom(HistOnDevice const& data, int n_levels);
  /// How many may grow together, by what was free when this was asked first of the data.
  static std::size_t MostTogether(CudaContext const& cuda, int n_levels, HistOnDevice* data);

  /// All rows are in the roots.
  void Reset(int n_levels);
  /// Asks for all splits, and has rows told their leaves.
  void Find(LevelRules const& rules);
  /// The best split of a node, which has this place among those of its complete tree. Waits for its level.
  /// \throws Error(kDevice) where one device has not heard of another for a minute.
  SplitCandidate FoundAt(std::size_t tree, int depth, std::uint32_t place);
  /// The rows of the one tree.
  TreeRows& Rows() { return rows_; }

 private:
  std::uint32_t NumTrees() const { return static_cast<std::uint32_t>(tasks_.size()); }
  LevelPlace Level(int depth) const { return {depth, NumTrees()}; }
  /// Sends what stays the same for all levels, and makes room for what they find.
  void Begin(LevelRules const& rules);
  /// Whether all devices are different, and may signal each other.
  bool MaySignal() const;
  void BeginSignals();
  /// Words of data_->levels.signals.
  std::uint32_t* Decided() const { return data_->levels.signals.data(); }
  std::uint32_t* GaveUp() const { return Decided() + kSignalStride; }
  std::uint32_t* AddedBy(std::size_t share) const { return Decided() + (share + 2) * kSignalStride; }
  /// Has shares add up their rows of a level.
  void AskShares(int depth, int n_levels);
  /// Their sums, for a stream that waits for them.
  std::vector<FixedSum const*> CollectSums();
  void AddUp(int depth);
  void FindLevel(int depth);
  /// Has all devices tell their rows the leaves of the finished trees.
  void WriteLeaves();

  CudaContext cuda_;
  Span<DeviceTreeTask const> tasks_;
  Span<std::int32_t> leaf_of_row_;
  HistOnDevice* data_;
  TreeRows rows_;
  DecideTask decide_{};
  FindTask find_{};
  bool signals_ = false;  ///< devices do
  int n_answered_ = 0;    ///< levels that the host has waited for
};

}  // namespace kauri::cuda
