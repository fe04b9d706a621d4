/// \file tree_method=hist: splits are looked for between the bins of each feature (data/sketch/quantile_sketch.h).
///
/// XGBoost's histogram method (Chen & Guestrin 2016, section 3.2, with cuts made once), in integers. Per tree it
/// touches every entry once for the root and about half of them per level.
#pragma once

#include <memory>
#include <string>

#include "data/memory_budget.h"
#include "kauri/parameter.h"
#include "kauri/tree_builder.h"
#include "kauri/tree_param.h"
#include "tree/constraints/constraints.h"
#include "tree/research/error_sketch_param.h"

namespace kauri {

class HistBuilder : public TreeBuilder {
 public:
  /// \throws Error(kParameter): constraints that cannot be read.
  explicit HistBuilder(TreeParam const& param, MemoryBudget const& budget = {},
                       ErrorSketchParam::Sketch sketch = ErrorSketchParam::kBins)
      : param_(param), rules_(ParseConstraints(param)), budget_(budget), sketch_(sketch) {}

  bool BuildsVectorLeaves() const override { return true; }
  std::string StateKey() const override;
  bool LearnsInGroups() const override { return true; }
  std::unique_ptr<BuildState> MakeState(Context const& ctx, DataMatrix const& data) const override;
  Tree Build(Context const& ctx, DataMatrix const& data, TreeTask const& task, BuildState* state,
             Span<std::int32_t> leaf_of_row) const override;

 private:
  TreeParam param_;
  ConstraintRules rules_;
  MemoryBudget budget_;  ///< of data in external memory, without a limit that of the data holds; of bins kept in memory
  ErrorSketchParam::Sketch sketch_;
};

/// \throws Error(kParameter).
std::unique_ptr<TreeBuilder> MakeHistBuilder(ParamMap const& map);
/// What it reads beside TreeParam.
ParameterTable HistParameters();

}  // namespace kauri
