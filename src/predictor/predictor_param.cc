#include "predictor/predictor_param.h"

#include "predictor/output_width.h"

namespace kauri {
namespace {

void CheckSize(char const* name, std::size_t size, std::int64_t expected) {
  if (size == ToSize(expected)) return;
  Fail(ErrorKind::kInternal, name, " has ", size, " floats; expected ", expected, ".");
}

void CheckStart(PredictTask const& task, std::int64_t n_outputs) {
  if (task.start.of_row.empty()) {
    CheckSize("the base score", task.start.of_output.size(), n_outputs);
  } else {
    CheckSize("the base margin", task.start.of_row.size(), task.rows.NumRows() * n_outputs);
  }
}

}  // namespace

DMLC_REGISTER_PARAMETER(PredictorParam);

void CheckTreeShapComputes(PredictKind kind) {
  auto const is_banzhaf = kind == PredictKind::kBanzhaf;
  if (!is_banzhaf && kind != PredictKind::kTaylorInteraction) return;
  Fail(ErrorKind::kParameter, "shap_method=treeshap has no ", is_banzhaf ? "Banzhaf values" : "Shapley-Taylor indices",
       "; use shap_method=quadrature.");
}

void CheckPrediction(Forest const& forest, PredictTask const& task, PredictKind kind, Span<float const> out) {
  if (kind == PredictKind::kValue) {
    Fail(ErrorKind::kInternal, "a predictor does not compute predictions of type 0; the objective makes values from ",
         "margins.");
  }
  auto const width = OutputWidth(forest.n_outputs, forest.n_features, kind, task.trees);
  CheckSize("the output", out.size(), task.rows.NumRows() * width);
  if (kind != PredictKind::kLeaf) CheckStart(task, forest.n_outputs);
}

void CheckSparsePrediction(Forest const& forest, PredictTask const& task, std::int64_t top_k) {
  CheckStart(task, forest.n_outputs);
  if (top_k >= 0) return;
  Fail(ErrorKind::kParameter, "top_k is ", top_k, "; expected 0 for all interactions, or how many to keep.");
}

}  // namespace kauri
