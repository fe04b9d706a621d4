/// \file Growers that make a tree from splits that a device has found for all nodes of the complete tree, or is still
/// finding.
///
/// FewRowsGrower: one launch finds all splits of a tree of few rows (few_rows/grow_few_rows.h).
/// LevelsGrower: all levels are queued at once (levels_finder.h). The host makes the nodes of a level while devices
/// work on lower levels and finally write the rows' leaves. This takes about 0.5 us a node. Devices wait only for the
/// last of thousands of nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/hist/few_rows/grow_few_rows.h"
#include "cuda/hist/gpu_hist_state.h"
#include "cuda/hist/levels_finder.h"
#include "cuda/hist/tree_rows.h"
#include "tree/growth/hist_growth.h"

namespace kauri::cuda {

/// Nodes have the places of a complete tree: the children of place p have places 2 p + 1 and 2 p + 2. The device's
/// search begins before Grow is called, and before the host knows the sum of the gradients and their unit. gain_ has
/// the unit from MakeRoot on.
class PrecomputedGrower : public HistGrowth<ScalarGrowth> {
 protected:
  PrecomputedGrower(Context const& ctx, GrowthRules const& rules, HistTask const& task, HistOnDevice* data);

  /// Returns whether a node's best split follows from its sum and its rows alone, and depends neither on the node's
  /// number nor on earlier splits.
  bool SplitsFollowFromSums() const;
  void SplitRows(std::vector<CodeSplit> const& splits) override;

  CudaContext cuda_;
  DeviceTreeTask const& task_;
  DeviceBins const& bins_;

 private:
  /// Returns the best split of a node; waits until it is available.
  virtual SplitCandidate PrecomputedAt(Node const& node, std::uint32_t place) = 0;

  NodeTotal MakeRoot() final;
  std::vector<std::int32_t> RightCategories(Node const& /*node*/) const final { return {}; }
  void FindSplits(Pairs const& pairs) final;
  void GiveBack(FixedSum* /*histogram*/) final {}
  void ResetRows() final {}  // the search did
  bool HasFewerRows(Node const& left, Node const& right) const final { return WeighsLess(left.total, right.total); }

  std::vector<std::uint32_t> place_of_node_{0};
};

class FewRowsGrower final : public PrecomputedGrower {
 public:
  FewRowsGrower(Context const& ctx, GrowthRules const& rules, HistTask const& task, HistOnDevice* data);

  /// Returns whether the tree can be grown this way. If not, neither Search nor Grow may be called.
  bool IsForTree() const { return on_device_.shape.n_blocks != 0; }
  /// Finds the splits of all nodes on the device, and waits for them. Called once, before Grow.
  void Search();

 private:
  SplitCandidate PrecomputedAt(Node const& node, std::uint32_t place) override;
  void SplitRows(std::vector<CodeSplit> const& splits) override;
  void WriteLeaves() override;

  FewRowsTask MakeTask(bool has_shards) const;

  Span<std::int32_t> leaf_of_row_;
  FewRowsState& state_;
  GrowingRowsOnDevice& rows_;
  FewRowsTask on_device_;
};

class LevelsGrower final : public PrecomputedGrower {
 public:
  /// data: must outlive this.
  LevelsGrower(Context const& ctx, GrowthRules const& rules, HistTask const& task, HistOnDevice* data)
      : PrecomputedGrower(ctx, rules, task, data), data_(*data) {}

  /// Returns why the host must take part in every level, in which case GrowFrom must not be called; nullptr if the tree
  /// can be grown this way.
  char const* Obstacle() const;
  /// Returns whether, besides, trees like this one may grow together.
  bool MayGrowTogether() const;
  LevelRules Rules() const { return {gain_, param_.gamma, param_.max_depth, columns_.TreeSet()}; }
  /// Grows a tree from the splits that `finder` finds for one of its trees.
  Tree GrowFrom(LevelsFinder* finder, std::size_t tree);

 private:
  SplitCandidate PrecomputedAt(Node const& node, std::uint32_t place) override;
  void WriteLeaves() override;

  HistOnDevice& data_;
  LevelsFinder* finder_ = nullptr;
  std::size_t tree_of_finder_ = 0;
};

}  // namespace kauri::cuda
