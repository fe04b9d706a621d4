#include "predictor/predictors.h"

#include <limits>

namespace kauri {
namespace {

std::int64_t Multiply(std::int64_t a, std::int64_t b) {
  if (b != 0 && a > std::numeric_limits<std::int64_t>::max() / b) {
    Fail(ErrorKind::kMemory, "a prediction of ", a, " times ", b,
         " floats per row is too large; predict contributions of fewer features or outputs.");
  }
  return a * b;
}

}  // namespace

std::int64_t OutputWidth(std::int64_t n_outputs, std::int64_t n_features, PredictKind kind, TreeRange trees) {
  switch (kind) {
    case PredictKind::kValue:
    case PredictKind::kMargin:
      return n_outputs;
    case PredictKind::kContribution:
    case PredictKind::kApproxContribution:
    case PredictKind::kBanzhaf:
      return Multiply(n_outputs, n_features + 1);
    case PredictKind::kInteraction:
    case PredictKind::kApproxInteraction:
    case PredictKind::kTaylorInteraction:
    case PredictKind::kBanzhafInteraction:
      return Multiply(n_outputs, Multiply(n_features + 1, n_features + 1));
    case PredictKind::kLeaf:
      return trees.end - trees.begin;
  }
  Fail(ErrorKind::kParameter, "prediction type ", static_cast<int>(kind),
       " is unknown; expected 0 to 6, or 100 to 102.");
}

std::int64_t OutputWidth(Model const& model, PredictKind kind, TreeRange trees) {
  return OutputWidth(model.NumOutputs(), model.n_features, kind, trees);
}

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
  auto const* const what = kind == PredictKind::kBanzhaf              ? "Banzhaf values"
                           : kind == PredictKind::kBanzhafInteraction ? "Banzhaf interactions"
                           : kind == PredictKind::kTaylorInteraction  ? "Shapley-Taylor indices"
                                                                      : nullptr;
  if (what == nullptr) return;
  Fail(ErrorKind::kParameter, "shap_method=treeshap has no ", what, "; use shap_method=quadrature.");
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
