/// \file Grows a tree of few rows (few_rows/grow_few_rows.h): one launch finds all its splits.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/hist/few_rows/grow_few_rows.h"
#include "cuda/hist/precomputed_grower.h"

namespace kauri::cuda {

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

}  // namespace kauri::cuda
