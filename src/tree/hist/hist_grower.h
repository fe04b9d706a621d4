/// \file Grows one tree with a scalar in each leaf (hist_growth.h describes the algorithm).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tree/growth/host_hist_growth.h"
#include "tree/hist/hist_workspace.h"
#include "tree/hist_vector/vector_workspace.h"

namespace kauri {

/// State that a builder keeps per data set and training: bins, which may be shared with others, and scratch.
struct HistData {
  explicit HistData(std::shared_ptr<BinMatrix const> matrix);

  std::shared_ptr<BinMatrix const> shared_bins;
  BinMatrix const& bins;
  HistWorkspace workspace;
  std::unique_ptr<VectorWorkspace> vectors;  ///< for trees with vector leaves; nullptr until the first such tree
  GrowingRows rows;
};

class HistGrower : public HostHistGrowth<ScalarGrowth> {
 public:
  HistGrower(Context const& ctx, GrowthRules const& rules, TreeTask const& task, HistData* data,
             Span<std::int32_t> leaf_of_row);

 protected:
  HistWorkspace* workspace_;

 private:
  NodeTotal MakeRoot() override { return SetRoot(task_); }
  std::vector<std::int32_t> RightCategories(HistNode const& node) const override;
  void FindSplits(Pairs const& pairs) override;
  void GiveBack(FixedSum* histogram) override { workspace_->Pool()->GiveBack(histogram); }
};

}  // namespace kauri
