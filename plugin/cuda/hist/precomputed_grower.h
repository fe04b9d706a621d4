/// \file Makes a tree from splits that a device has found for all nodes of the complete tree, or is still finding.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/hist/gpu_hist_state.h"
#include "cuda/hist/hist_task.h"
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

}  // namespace kauri::cuda
