/// \file Growing one tree of which the device finds all splits that it may make without asking the host, which makes
/// the tree from them as from any others.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/hist/hist_task.h"
#include "tree/growth/hist_growth.h"

namespace kauri::cuda {

/// Nodes have the places of a complete tree: the children of place p have 2 p + 1 and 2 p + 2. The device begins before
/// the host knows what the gradients add up to, and in what unit: gain_ has it from MakeRoot on.
class FoundTreeGrower : public HistGrowth<ScalarGrowth> {
 protected:
  FoundTreeGrower(Context const& ctx, GrowthRules const& rules, HistTask const& task, HistOnDevice* data);

  /// Whether a node's best split follows from its sum and its rows alone: neither from its number, nor from the splits
  /// made until then.
  bool SplitsFollowFromSums() const;
  void SplitRows(std::vector<CodeSplit> const& splits) override;

  CudaContext cuda_;
  DeviceTreeTask const& task_;
  HistOnDevice* data_;

 private:
  /// Has the device find the splits of all nodes that the tree may have. The host need not know the totals by then.
  virtual void FindAll() = 0;
  /// That of a node; waits until it is there.
  virtual SplitCandidate FoundAt(Node const& node, std::uint32_t place) = 0;

  NodeTotal MakeRoot() final;
  std::vector<std::int32_t> RightCategories(Node const& /*node*/) const final { return {}; }
  void FindSplits(Pairs const& pairs) final;
  void GiveBack(FixedSum* /*histogram*/) final {}
  bool HasFewerRows(Node const& left, Node const& right) const final { return WeighsLess(left.total, right.total); }

  std::vector<std::uint32_t> place_of_node_{0};
};

}  // namespace kauri::cuda
