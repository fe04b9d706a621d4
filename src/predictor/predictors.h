/// \file The predictors of this folder for the registry, and what the predictors of all devices share: parameters,
/// checks and output widths.
#pragma once

#include <cstdint>

#include "kauri/parameter.h"
#include "kauri/predictor.h"
#include "kauri/registry.h"
#include "predictor/forest/forest.h"

namespace kauri {

/// Adds cpu_predictor.
void RegisterPredictors(Registry<PredictorFactory>* registry);

/// Adds linear_predictor.
void RegisterLinearPredictor(Registry<PredictorFactory>* registry);

/// Returns the floats per row of a prediction. OutputWidth(model, kind, trees) is computed from it.
std::int64_t OutputWidth(std::int64_t n_outputs, std::int64_t n_features, PredictKind kind, TreeRange trees);

struct PredictorParam : public dmlc::Parameter<PredictorParam> {
  enum ShapMethod { kAuto = 0, kTreeShap = 1, kQuadrature = 2 };
  int shap_method;
  int shap_cover;
  DMLC_DECLARE_PARAMETER(PredictorParam) {
    DMLC_DECLARE_FIELD(shap_method)
        .set_default(kAuto)
        .add_enum("auto", kAuto)
        .add_enum("treeshap", kTreeShap)
        .add_enum("quadrature", kQuadrature)
        .describe(
            "How exact contributions are computed: treeshap is the published algorithm (on the CPU the recursive one, "
            "on a device paths of up to 31 features are packed into warps), quadrature integrates, with rows in the "
            "lanes of vectors or of a device, and computes Banzhaf values and Shapley-Taylor indices as well; auto is "
            "the fastest.");
    DMLC_DECLARE_FIELD(shap_cover)
        .set_default(static_cast<int>(CoverSource::kHessian))
        .add_enum("hessian", static_cast<int>(CoverSource::kHessian))
        .add_enum("count", static_cast<int>(CoverSource::kCount))
        .describe(
            "What weighs the branches that a feature not known might take: hessian, the sums of hessians of training, "
            "or count, numbers of rows, which must have been counted.");
  }
  void Validate() const {}

  bool IsTreeShap() const { return shap_method == kTreeShap; }
  CoverSource Cover() const { return static_cast<CoverSource>(shap_cover); }
};

/// \throws Error(kParameter) if treeshap does not compute `kind`.
void CheckTreeShapComputes(PredictKind kind);

/// \throws Error(kInternal) for kValue, or if output or start does not have the size that kind and rows require.
void CheckPrediction(Forest const& forest, PredictTask const& task, PredictKind kind, Span<float const> out);

/// \throws Error(kInternal) for a start of the wrong size, Error(kParameter) for a negative top_k.
void CheckSparsePrediction(Forest const& forest, PredictTask const& task, std::int64_t top_k);

}  // namespace kauri
