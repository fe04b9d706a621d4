/// \file Grows a tree of few rows (few_rows/grow_few_rows.h): one launch finds all its splits.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/hist/few_rows/grow_few_rows.h"
#include "cuda/hist/found_tree_grower.h"

namespace kauri::cuda {

class FewRowsGrower final : public FoundTreeGrower {
 public:
  FewRowsGrower(Context const& ctx, GrowthRules const& rules, HistTask const& task, HistOnDevice* data);

  /// Returns whether the tree can be grown this way. If not, Grow must not be called.
  bool IsForTree() const { return on_device_.shape.n_blocks != 0; }

 private:
  void FindAll() override;
  SplitCandidate FoundAt(Node const& node, std::uint32_t place) override;
  void ResetRows() override;
  void SplitRows(std::vector<CodeSplit> const& splits) override;
  void WriteLeaves() override;

  FewRowsTask MakeTask() const;

  Span<std::int32_t> leaf_of_row_;
  FewRowsTask on_device_;
};

}  // namespace kauri::cuda
