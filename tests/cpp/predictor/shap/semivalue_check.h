/// \file Banzhaf values and Shapley-Taylor indices computed by the predictor, and their errors.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "predictor/explain_fixture.h"
#include "predictor/shap/semivalue_oracle.h"

namespace kauri::testing {

/// Calls the predictor; an empty start is zero.
inline std::vector<float> Predict(Model const& model, MemoryView const& rows, PredictKind kind, TreeRange trees,
                                  std::vector<float> const& start = {}, int threads = 1) {
  auto const predictor = MakeCpuPredictor();
  std::vector<float> const zero(model.NumOutputs(), 0.0F);
  std::vector<float> out(rows.NumRows() * OutputWidth(model, kind, trees), 99.0F);
  auto const compiled = predictor->Compile({}, model, AllTreesOf(model));
  auto const is_of_rows = start.size() > zero.size();
  MarginStart from{start.empty() ? zero : start, {}};
  if (is_of_rows) from = {{}, start};
  predictor->Predict(testing::Threads(threads), *compiled, {rows, trees, from}, kind, out);
  return out;
}
inline std::vector<float> Predict(Model const& model, MemoryView const& rows, PredictKind kind) {
  return Predict(model, rows, kind, AllTreesOf(model));
}

inline MemoryView RowsOf(MemoryView const& rows, std::int64_t begin, std::int64_t end) {
  std::vector<float> values;
  for (auto row = begin; row < end; ++row) {
    for (std::int64_t col = 0; col < rows.NumCols(); ++col) values.push_back(rows.At(row, col));
  }
  return {values, rows.NumCols()};
}

/// Updates the maximum; NaN counts as the worst error.
template <typename Number>
void Worsen(Number error, Number* worst) {
  if (!(error <= *worst)) *worst = error;
}

/// Returns the largest error relative to the largest value.
inline double RelativeError(std::vector<long double> const& exact, float const* found) {
  long double scale = 1e-30L;
  long double worst = 0.0L;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    scale = std::max(scale, std::abs(exact[i]));
    Worsen(std::abs(exact[i] - static_cast<long double>(found[i])), &worst);
  }
  return static_cast<double>(worst / scale);
}

struct Errors {
  double banzhaf = 0.0;
  double taylor = 0.0;
};
/// Checks both kinds of values. oracle: AllCoalitions or SemivaluesByLeaf.
template <typename Oracle>
Errors ExpectDefinition(Model const& model, MemoryView const& rows, Oracle&& oracle, double tolerance = 1e-6) {
  auto const banzhaf = Predict(model, rows, PredictKind::kBanzhaf);
  auto const taylor = Predict(model, rows, PredictKind::kTaylorInteraction);
  Errors errors;
  for (std::int64_t row = 0; row < rows.NumRows(); ++row) {
    auto const exact = oracle(model, rows, row);
    Worsen(RelativeError(exact.banzhaf, banzhaf.data() + ToSize(row) * exact.banzhaf.size()), &errors.banzhaf);
    Worsen(RelativeError(exact.taylor, taylor.data() + ToSize(row) * exact.taylor.size()), &errors.taylor);
  }
  EXPECT_LT(errors.banzhaf, tolerance);
  EXPECT_LT(errors.taylor, tolerance);
  return errors;
}

}  // namespace kauri::testing
