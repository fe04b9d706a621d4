/// \file Growing one tree with a vector in each leaf (hist_growth.h has the algorithm, vector_gain.h the gains).
#pragma once

#include <cstdint>

#include "kauri/tree_param.h"
#include "tree/constraints/constraints.h"
#include "tree/growth/hist_growth.h"
#include "tree/hist_vector/vector_workspace.h"

namespace kauri {

class VectorGrower : public HistGrowth<VectorNode> {
 public:
  VectorGrower(Context const& ctx, TreeParam const& param, ConstraintRules const& rules, TreeTask const& task,
               BinMatrix const& bins, VectorWorkspace* workspace, GrowingRows* rows, Span<std::int32_t> leaf_of_row);

 private:
  VectorTotal MakeRoot() override;
  void MakeChildren(VectorNode const& parent, VectorNode* left, VectorNode* right) override;
  std::vector<std::int32_t> RightCategories(VectorNode const& node) const override {
    return node.total.right_categories;
  }
  bool MayHaveChildren(VectorNode const& node) const override;
  void FindSplits(Pairs const& pairs) override;
  void GiveBack(std::int64_t* histogram) override { workspace_->Pool()->GiveBack(histogram); }
  void SetNode(std::int32_t node, VectorTotal const& total, Span<double const> weights);

  VectorWorkspace* workspace_;
  VectorGainParam gain_;
  VectorSplitFinder finder_;
  float leaf_rate_;
};

}  // namespace kauri
