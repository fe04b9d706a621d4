#include "predictor/output_width.h"

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
      return Multiply(n_outputs, Multiply(n_features + 1, n_features + 1));
    case PredictKind::kLeaf:
      return trees.end - trees.begin;
  }
  Fail(ErrorKind::kParameter, "prediction type ", static_cast<int>(kind), " is unknown; expected 0 to 6, 100 or 101.");
}

std::int64_t OutputWidth(Model const& model, PredictKind kind, TreeRange trees) {
  return OutputWidth(model.NumOutputs(), model.n_features, kind, trees);
}

}  // namespace kauri
