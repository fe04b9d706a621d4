/// \file A shard of rows that adds up gradient pairs, for trees with scalar leaves (sum_shard.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/hist/histogram/add_rows.h"
#include "cuda/hist/histogram/row_records.h"
#include "cuda/hist/levels/level_rows.h"
#include "cuda/hist/shards/sum_shard.h"
#include "cuda/tree/device_tree_builder.h"
#include "kauri/gradient.h"

namespace kauri::cuda {

/// Settings of a tree besides the sums of pairs.
struct ShardTree {
  bool counts_rows;  ///< row counts follow the sums of a histogram
  int max_depth;
};

/// Signals between devices that are all different, used in place of events (common/event.h).
struct LevelSignals {
  std::uint32_t const* decided = nullptr;  ///< nullptr if events are used
  std::uint32_t* added = nullptr;          ///< word of the shard
  std::uint32_t* gave_up = nullptr;
  std::uint32_t turn = 0;  ///< number of the level
};

/// A level of a tree that the main device decides (levels/level_rows.h).
struct ShardLevel {
  int depth;
  int n_levels;
  NodeDecision const* decisions;  ///< [n_nodes of all levels], memory of the main device
  Event const* decided;           ///< reached when the level before is decided
  int main;                       ///< the main device
  LevelSignals signals;
};

class HistShard final : public SumShard {
 public:
  using SumShard::SumShard;
  ~HistShard() override { Settle(); }

  /// Begins a tree; copies the gradients from the main device once `ready` is reached.
  void BeginTree(CudaContext const& main, Event const& ready, DeviceTreeTask const& task, ShardTree const& tree);
  /// Begins a tree whose gradients are already on this device.
  void BeginTree(ShardInput const& input, ShardTree const& tree);
  /// Moves the rows as decided in the level before, and adds up this level's nodes for Collect. Called level by level
  /// from the root on: the sums of all levels have room, and are cleared once per tree.
  void AddUpLevel(ShardLevel const& level);

 private:
  void TakeCodes() override { records_.TakeBins(Cuda(), Shard().Bins()); }
  std::size_t SumsOfNode() const override { return (ones_.size() == 0 ? 1 : 2) * std::size_t{Shard().Bins().n_sums}; }
  void AddNodes(std::vector<NodeSource> const& nodes, FixedSum* sums, Upload* request) override;
  void AddRows(RowsToAdd const& rows) override;

  void TakePairs(FixedPair const* pairs, SmallPair const* small, ShardTree const& tree);
  void AwaitDecision(ShardLevel const& level);
  void Follow(ShardLevel const& level, FixedSum* sums);
  NodeDecision const* DecisionsOf(ShardLevel const& level, LevelPlace const& before);

  Buffer<FixedPair> copied_;  ///< [count]
  FixedPair const* pairs_ = nullptr;
  SmallPair const* small_ = nullptr;  ///< the same pairs in two bytes; nullptr: none
  RowRecords records_;
  Buffer<FixedPair> ones_;  ///< [count]; empty if rows are not counted
  Buffer<PlannedRows> plan_;
  std::vector<HistogramNode> nodes_;
  std::size_t nodes_place_ = 0;  ///< place in the request
  RowsByLevel levels_;
  FixedSum* level_sums_ = nullptr;  ///< [n_pairs of all levels, SumsOfNode()], for the current tree
  Buffer<NodeDecision> decisions_;  ///< copies, if the device cannot read the main device's
};

}  // namespace kauri::cuda
