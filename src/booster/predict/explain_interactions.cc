#include "booster/predict/explain_interactions.h"

#include "data/categories/category_view.h"
#include "kauri/error.h"

namespace kauri {

SetInteractions ExplainInteractions(ReadyModel const& ready, ExplainTask const& task, IterationRange iterations,
                                    SetInteractionOptions const& options) {
  auto const& model = ready.GetModel();
  if (model.IsLinear()) {
    Fail(ErrorKind::kParameter,
         "interactions of sets are of trees, and the model is linear (gblinear), where features ",
         "do not interact; its contributions say all.");
  }
  CheckExplainedRows(ready, task);
  auto const start = StartMargins(*ready.Parts(), model);
  auto const trees = ready.Interactions();
  ModelRows const rows(model, task.rows);
  ForestTask const of_forest{
      trees->forest, rows.View(), trees->forest.OwnTrees(model.TreesOf(iterations)), {start, task.base_margin}};
  return ComputeSetInteractions(ready.Parts()->ctx, of_forest, trees->compiled, options);
}

}  // namespace kauri
