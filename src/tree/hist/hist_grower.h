/// \file Growing one tree with a number in each leaf (hist_growth.h has the algorithm).
#pragma once

#include <cstdint>
#include <memory>

#include "kauri/tree_param.h"
#include "tree/constraints/constraints.h"
#include "tree/growth/hist_growth.h"
#include "tree/hist/hist_workspace.h"
#include "tree/hist_vector/vector_workspace.h"

namespace kauri {

/// What a builder keeps per data set and training: bins that others may share, and scratch.
struct HistData {
  explicit HistData(std::shared_ptr<BinMatrix const> matrix);

  std::shared_ptr<BinMatrix const> shared_bins;
  BinMatrix const& bins;
  HistWorkspace workspace;
  std::unique_ptr<VectorWorkspace> vectors;  ///< for trees with vector leaves; nullptr until the first
  GrowingRows rows;
};

class HistGrower : public HistGrowth<HistNode> {
 public:
  HistGrower(Context const& ctx, TreeParam const& param, ConstraintRules const& rules, TreeTask const& task,
             HistData* data, Span<std::int32_t> leaf_of_row);

 protected:
  /// rows: may be nullptr for who keeps them otherwise.
  HistGrower(Context const& ctx, TreeParam const& param, ConstraintRules const& rules, TreeTask const& task,
             HistWorkspace* workspace, GrowingRows* rows, Span<std::int32_t> leaf_of_row);

  NodeTotal MakeRoot() override;
  void MakeChildren(HistNode const& parent, HistNode* left, HistNode* right) override;
  std::vector<std::int32_t> RightCategories(HistNode const& node) const override;
  bool MayHaveChildren(HistNode const& node) const override;
  void FindSplits(Pairs const& pairs) override;
  void GiveBack(FixedSum* histogram) override { workspace_->Pool()->GiveBack(histogram); }
  NodeTotal TotalOf(FixedSum sum, WeightBounds const& bounds) const;

  HistWorkspace* workspace_;
  GainParam gain_;

 private:
  float leaf_rate_;
};

}  // namespace kauri
