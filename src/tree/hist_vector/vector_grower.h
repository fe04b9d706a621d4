/// \file Grows one tree with a vector in each leaf (hist_growth.h describes the algorithm).
#pragma once

#include <cstdint>
#include <vector>

#include "tree/growth/host_hist_growth.h"
#include "tree/hist_vector/vector_workspace.h"

namespace kauri {

class VectorGrower : public HostHistGrowth<VectorGrowth> {
 public:
  VectorGrower(Context const& ctx, GrowthRules const& rules, TreeTask const& task, VectorWorkspace* workspace,
               GrowingRows* rows, Span<std::int32_t> leaf_of_row);

 private:
  VectorTotal MakeRoot() override;
  std::vector<std::int32_t> RightCategories(VectorNode const& node) const override {
    return node.total.right_categories;
  }
  void FindSplits(Pairs const& pairs) override;
  void GiveBack(std::int64_t* histogram) override { workspace_->Pool()->GiveBack(histogram); }

  VectorWorkspace* workspace_;
  VectorSplitFinder finder_;
};

}  // namespace kauri
