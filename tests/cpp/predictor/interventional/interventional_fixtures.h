/// \file Small models for tests of interventional contributions.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "predictor/explain_fixture.h"
#include "predictor/interventional/interventional.h"
#include "predictor/predictor_fixtures.h"
#include "predictor/predictors.h"
#include "support/error.h"

namespace kauri::testing {

inline TreeRange AllTrees(Model const& model) { return {0, static_cast<std::int64_t>(model.trees.size())}; }

inline std::vector<float> ZeroStart(Model const& model) { return std::vector<float>(model.NumOutputs(), 0.0F); }

inline std::vector<float> Explain(Model const& model, DataView const& rows, DataView const& background,
                                  MarginStart const& start, TreeRange trees, int threads = 1) {
  auto const forest = CompileForest({}, model, AllTrees(model));
  std::vector<float> out(rows.NumRows() * OutputWidth(model, PredictKind::kContribution, trees), 123.0F);
  InterventionalValues(Threads(threads), {forest, rows, trees, start}, background, {}, out);
  return out;
}

inline std::vector<float> Explain(Model const& model, DataView const& rows, DataView const& background,
                                  int threads = 1) {
  auto const start = ZeroStart(model);
  return Explain(model, rows, background, {start, {}}, AllTrees(model), threads);
}

inline MemoryView Rows(MemoryView const& rows, std::vector<std::int64_t> const& chosen) {
  std::vector<float> values;
  for (auto const row : chosen) {
    for (std::int64_t col = 0; col < rows.NumCols(); ++col) values.push_back(rows.At(row, col));
  }
  return {values, rows.NumCols()};
}

/// Predicts a kind against a background through the CPU's predictor, starting from 0.
inline std::vector<float> Against(Model const& model, PredictKind kind, DataView const& rows,
                                  DataView const& background, int threads = 1) {
  auto const predictor = MakeCpuPredictor();
  auto const ctx = Threads(threads);
  auto const compiled = predictor->Compile(ctx, model, AllTrees(model));
  auto const start = ZeroStart(model);
  std::vector<float> out(rows.NumRows() * OutputWidth(model, kind, AllTrees(model)), 123.0F);
  predictor->PredictAgainst(ctx, *compiled, {rows, AllTrees(model), {start, {}}}, kind, background, out);
  return out;
}

}  // namespace kauri::testing
