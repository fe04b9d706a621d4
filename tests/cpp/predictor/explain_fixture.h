/// \file Explanations through the interface of the CPU predictor.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "predictor/predictor_fixtures.h"
#include "predictor/predictors.h"

namespace kauri::testing {

inline std::unique_ptr<Predictor> MakeCpuPredictor(ParamMap const& params = {}) {
  Registry<PredictorFactory> registry("predictor");
  RegisterPredictors(&registry);
  return registry.Find("cpu_predictor").make(params);
}

inline TreeRange AllTreesOf(Model const& model) { return {0, static_cast<std::int64_t>(model.trees.size())}; }

/// Predicts with all of `trees`, starting from 0. params: for the predictor.
inline std::vector<float> PredictKindOf(ParamMap const& params, Model const& model, DataView const& rows,
                                        PredictKind kind, TreeRange trees, int threads = 1) {
  auto const predictor = MakeCpuPredictor(params);
  auto const ctx = Threads(threads);
  auto const compiled = predictor->Compile(ctx, model, AllTreesOf(model));
  std::vector<float> const start(model.NumOutputs(), 0.0F);
  std::vector<float> out(rows.NumRows() * OutputWidth(model, kind, trees), 123.0F);
  predictor->Predict(ctx, *compiled, {rows, trees, {start, {}}}, kind, out);
  return out;
}

}  // namespace kauri::testing
