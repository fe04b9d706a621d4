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
  auto const with = PredictorForSets(ready);
  ModelRows const rows(model, task.rows);
  SetInteractions found;
  with.predictor->PredictSets(ready.Parts()->ctx, *with.model,
                              {rows.View(), model.TreesOf(iterations), {start, task.base_margin}}, options, &found);
  return found;
}

}  // namespace kauri
