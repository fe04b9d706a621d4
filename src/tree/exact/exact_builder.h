/// \file tree_method=exact: every boundary between two values of every feature is a candidate.
///
/// Chen & Guestrin 2016, algorithm 1:
/// 1. Once per data set the columns are sorted (data/sorted_columns.h).
/// 2. Level by level, the best split of every node is found along the sorted entries of each feature, with missing
///    values sent either way (exact_columns.h), or along the sums of a column with few values (exact_coded_columns.h).
/// 3. A node is split if its loss change, as float32, exceeds kMinLossChange and both children have min_child_weight.
/// 4. When no node splits or max_depth is reached (0: no limit except kDepthCap), splits that gain less than gamma are
///    pruned from the bottom up and the nodes are numbered breadth first.
/// max_leaves and grow_policy have no effect here, as in XGBoost.
#pragma once

#include <memory>
#include <string>

#include "data/memory_budget.h"
#include "kauri/capabilities.h"
#include "kauri/parameter.h"
#include "kauri/tree_builder.h"
#include "kauri/tree_param.h"
#include "tree/constraints/constraints.h"

namespace kauri {

class ExactBuilder : public TreeBuilder {
 public:
  /// \throws Error(kParameter) for constraints that cannot be parsed.
  explicit ExactBuilder(TreeParam const& param, MemoryBudget const& budget = {})
      : param_(param), rules_(ParseConstraints(param)), budget_(budget) {}
  std::string StateKey() const override { return "exact"; }
  /// Memory: 16 bytes per present value, 8 of which the data keep, and 26 per row.
  std::unique_ptr<BuildState> MakeState(Context const& ctx, DataMatrix const& data) const override;
  Tree Build(Context const& ctx, DataMatrix const& data, TreeTask const& task, BuildState* state,
             Span<std::int32_t> leaf_of_row) const override;

 private:
  TreeParam param_;
  ConstraintRules rules_;
  MemoryBudget budget_;  ///< for columns that the data keep
};

/// \throws Error(kParameter).
std::unique_ptr<TreeBuilder> MakeExactBuilder(TrainingParams const& params);
/// Returns the features of tree_method=exact.
Capabilities ExactSupports();

}  // namespace kauri
