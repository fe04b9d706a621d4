/// \file tree_method=hist and tree_method=approx.
///
/// tree_method=hist finds splits between the bins of each feature (data/sketch/quantile_sketch.h).
///
/// XGBoost's histogram method (Chen & Guestrin 2016, section 3.2, with bin edges made once), in integers. Each tree
/// touches every entry once for the root and about half of the entries per level.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "data/memory_budget.h"
#include "kauri/capabilities.h"
#include "kauri/parameter.h"
#include "kauri/tree_builder.h"
#include "kauri/tree_param.h"
#include "tree/absolute_error/error_criterion.h"
#include "tree/constraints/constraints.h"

namespace kauri {

class HistBuilder : public TreeBuilder {
 public:
  /// \throws Error(kParameter): constraints that cannot be read.
  explicit HistBuilder(TreeParam const& param, MemoryBudget const& budget = {},
                       std::shared_ptr<ErrorSketch const> errors = nullptr)
      : param_(param), rules_(ParseConstraints(param)), budget_(budget), errors_(std::move(errors)) {}

  std::string StateKey() const override;
  std::unique_ptr<BuildState> MakeState(Context const& ctx, DataMatrix const& data) const override;
  Tree Build(Context const& ctx, DataMatrix const& data, TreeTask const& task, BuildState* state,
             Span<std::int32_t> leaf_of_row) const override;

 private:
  TreeParam param_;
  ConstraintRules rules_;
  /// Budget for data in external memory (if unlimited, the budget of the data applies) and for bins kept in memory.
  MemoryBudget budget_;
  std::shared_ptr<ErrorSketch const> errors_;  ///< null: label bins
};

/// \throws Error(kParameter).
std::unique_ptr<TreeBuilder> MakeHistBuilder(TrainingParams const& params);
/// Returns the features of tree_method=hist.
Capabilities HistSupports();
/// Returns the parameters that the builder reads besides TreeParam.
ParameterTable HistParameters();

// tree_method=approx: hist with new bins for every tree, from quantiles weighted by hessians.
//
// This is the global variant of Chen & Guestrin 2016, section 3.2: the loss near a leaf is a quadratic whose width is
// the hessian, so ranks weighted by hessians put the candidates where a split changes the loss. Each tree costs a
// sketch of the data and their bins in addition to hist. A tree with the same hessians as the previous tree reuses its
// bins. Data in external memory keep the bins that they were made with, which assume equal hessians.

class ApproxBuilder : public TreeBuilder {
 public:
  /// \throws Error(kParameter): constraints that cannot be read.
  explicit ApproxBuilder(TreeParam const& param, MemoryBudget const& budget = {})
      : param_(param), rules_(ParseConstraints(param)), budget_(budget), hist_(param, budget) {}

  std::string StateKey() const override;
  std::unique_ptr<BuildState> MakeState(Context const& ctx, DataMatrix const& data) const override;
  Tree Build(Context const& ctx, DataMatrix const& data, TreeTask const& task, BuildState* state,
             Span<std::int32_t> leaf_of_row) const override;

 private:
  TreeParam param_;
  ConstraintRules rules_;
  MemoryBudget budget_;  ///< for bins that the data keep
  HistBuilder hist_;     ///< for data in external memory
};

/// \throws Error(kParameter).
std::unique_ptr<TreeBuilder> MakeApproxBuilder(TrainingParams const& params);
/// Returns the features of tree_method=approx.
Capabilities ApproxSupports();

}  // namespace kauri
