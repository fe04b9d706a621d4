/// \file Growing one tree of few rows (few_rows/grow_few_rows.h): the device finds all splits that the tree may make,
/// then the host makes the tree from them as from any others.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/hist/few_rows/grow_few_rows.h"
#include "cuda/hist/hist_task.h"
#include "tree/growth/hist_growth.h"

namespace kauri::cuda {

class FewRowsGrower : public HistGrowth<ScalarGrowth> {
 public:
  FewRowsGrower(Context const& ctx, GrowthRules const& rules, HistTask const& task, HistOnDevice* data);

  /// Whether the tree is to be grown so. If not, Grow must not be called.
  bool IsForTree() const { return on_device_.shape.n_blocks != 0; }

 private:
  NodeTotal MakeRoot() override { return SetRoot(task_.sum); }
  std::vector<std::int32_t> RightCategories(Node const& /*node*/) const override { return {}; }
  void FindSplits(Pairs const& pairs) override;
  void GiveBack(FixedSum* /*histogram*/) override {}
  void ResetRows() override;
  void SplitRows(std::vector<CodeSplit> const& splits) override;
  void WriteLeaves() override;
  bool HasFewerRows(Node const& left, Node const& right) const override { return WeighsLess(left.total, right.total); }

  bool SplitsFollowFromSums() const;
  FewRowsTask MakeTask() const;
  void FindAll();
  SplitCandidate Candidate(Node const& node, FewRowsSplit const& found) const;

  CudaContext cuda_;
  DeviceTreeTask const& task_;
  HistOnDevice* data_;
  Span<std::int32_t> leaf_of_row_;
  FewRowsTask on_device_;
  bool has_found_ = false;
  std::vector<std::uint32_t> place_of_node_{0};  ///< in the complete tree
};

}  // namespace kauri::cuda
