/// \file What a device other than the main one adds up for trees whose leaves hold numbers (sum_share.h): pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/hist/histogram/add_rows.h"
#include "cuda/hist/histogram/row_records.h"
#include "cuda/hist/levels/rows_by_level.h"
#include "cuda/hist/shares/sum_share.h"
#include "cuda/tree/device_tree_builder.h"
#include "kauri/gradient.h"

namespace kauri::cuda {

/// What a tree asks for besides sums of pairs.
struct SharedTree {
  bool counts_rows;  ///< behind the sums of a histogram lie their counts
  int max_depth;
};

/// How devices that are all different signal each other in place of events (common/far_signal.h).
struct LevelSignals {
  std::uint32_t const* decided = nullptr;  ///< nullptr: by events
  std::uint32_t* added = nullptr;          ///< of the share
  std::uint32_t* gave_up = nullptr;
  std::uint32_t turn = 0;  ///< of the level
};

/// A level of a tree that the main device decides (levels/level_rows.h).
struct SharedLevel {
  int depth;
  int n_levels;
  NodeDecision const* decisions;  ///< [n_nodes of all levels], memory of the main device
  Event const* decided;           ///< when the level before is
  int main;                       ///< that device
  LevelSignals signals;
};

class HistShare final : public SumShare {
 public:
  using SumShare::SumShare;
  ~HistShare() override { Settle(); }

  /// Takes the gradients from the main device once `ready` is reached.
  void BeginTree(CudaContext const& main, Event const& ready, DeviceTreeTask const& task, SharedTree const& tree);
  /// The same of gradients that are there.
  void BeginTree(ShareInput const& input, SharedTree const& tree);
  /// Rows follow what was decided of the level before; those of this one are added up, for Collect. One level after
  /// the other, from the root on: the sums of all levels have room, and are cleared once a tree.
  void AddUpLevel(SharedLevel const& level);

 private:
  void TakeCodes() override { records_.TakeBins(Cuda(), Share().Bins()); }
  std::size_t SumsOfNode() const override { return (ones_.size() == 0 ? 1 : 2) * std::size_t{Share().Bins().n_sums}; }
  void AddNodes(std::vector<NodeSource> const& nodes, FixedSum* sums, Upload* request) override;
  void AddRows(SharedRows const& rows) override;

  void TakePairs(FixedPair const* pairs, SharedTree const& tree);
  void AwaitDecision(SharedLevel const& level);
  void Follow(SharedLevel const& level, FixedSum* sums);
  NodeDecision const* DecisionsOf(SharedLevel const& level, LevelPlace const& before);

  Buffer<FixedPair> copied_;  ///< [count]
  FixedPair const* pairs_ = nullptr;
  RowRecords records_;
  Buffer<FixedPair> ones_;  ///< [count], or empty: rows are not counted
  Buffer<PlannedRows> plan_;
  std::vector<HistogramNode> nodes_;
  std::size_t nodes_place_ = 0;  ///< in the request
  RowsByLevel levels_;
  FixedSum* level_sums_ = nullptr;  ///< [n_pairs of all levels, SumsOfNode()], of the tree
  Buffer<NodeDecision> decisions_;  ///< copies, where the device cannot read them
};

}  // namespace kauri::cuda
