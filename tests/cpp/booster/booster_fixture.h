/// \file Learners for tests of boosters.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "booster/learner.h"
#include "booster/model_io/model_io.h"
#include "kauri/error.h"
#include "support/error.h"
#include "support/random_matrix.h"

namespace kauri::testing {

using Params = std::vector<std::pair<std::string, std::string>>;

inline Params With(Params params, Params const& more) {
  params.insert(params.end(), more.begin(), more.end());
  return params;
}

inline std::unique_ptr<Learner> MakeLearner(Params const& params) {
  auto learner = std::make_unique<Learner>();
  for (auto const& [name, value] : params) learner->SetParam(name, value);
  return learner;
}

inline std::unique_ptr<Learner> Train(std::shared_ptr<DataMatrix const> const& data, Params const& params, int rounds) {
  auto learner = MakeLearner(params);
  for (int round = 0; round < rounds; ++round) learner->BoostRound(data, round);
  return learner;
}

/// Returns labels from a signal that is linear except for one product, plus noise. classes 0: real values, else labels
/// 0 .. classes - 1.
inline std::vector<float> MakeLabels(std::vector<float> const& values, std::int64_t n_cols, int classes) {
  Random random(17);
  std::vector<float> labels;
  for (std::size_t cell = 0; cell < values.size(); cell += static_cast<std::size_t>(n_cols)) {
    auto const x = [&](std::size_t col) { return std::isnan(values[cell + col]) ? 0.0F : values[cell + col]; };
    auto const signal = 1.0F + x(0) - 0.5F * x(1) + x(1) * x(2) + 0.2F * random.Normal();
    auto const label = std::min(std::max(static_cast<int>(signal), 0), std::max(classes, 1) - 1);
    labels.push_back(classes == 0 ? signal : static_cast<float>(label));
  }
  return labels;
}

inline std::shared_ptr<DataMatrix> MakeLabelled(MatrixSpec const& spec, int classes) {
  auto const values = MakeValues(spec);
  std::shared_ptr<DataMatrix> data = MakeMatrix(values, spec.n_cols, spec.sparse);
  data->MutableInfo()->labels = MakeLabels(values, spec.n_cols, classes);
  return data;
}

inline std::string Bytes(Learner* learner) { return SerialiseModel(learner->GetModel(), ModelFormat::kUbjson); }

inline PredictOptions Predicting(PredictKind kind, IterationRange iterations = {}) {
  PredictOptions options;
  options.kind = kind;
  options.iterations = iterations;
  return options;
}

}  // namespace kauri::testing
