/// \file Explanations of a model's rows by sampled coalitions, on any scale: margins, predictions, losses. Safe from
/// many threads.
#pragma once

#include <cstdint>
#include <vector>

#include "booster/model/column_fit.h"
#include "booster/model/ready_model.h"
#include "kauri/data_matrix.h"
#include "kauri/meta_info.h"
#include "kauri/model.h"
#include "shapley/estimate.h"

namespace kauri {

enum class ExplainedOutput {
  kMargin,
  kValue,  ///< predictions, transformed from margins by the objective
  kLoss    ///< loss of the row, by the objective's own metric
};

/// Parses "margin", "value" or "loss". \throws Error(kParameter) for another name.
ExplainedOutput ExplainedOutputNamed(std::string const& name);

/// Rows and background must outlive the task.
struct SampledTask {
  DataView const& rows;
  MetaInfo const& info;  ///< base margins of the rows, and labels for kLoss
  DataView const& background;
  DeclaredColumns columns = {};
  DeclaredColumns background_columns = {};
};

struct SampledOptions {
  ExplainedOutput output = ExplainedOutput::kValue;
  IterationRange iterations;
  std::vector<std::vector<std::int64_t>> players;  ///< groups of features; empty: each feature is a player
  ShapleyOptions shapley;
};

struct SampledValues {
  std::int64_t n_outputs = 1;
  std::int64_t n_players = 0;
  std::vector<double> values;         ///< [n_rows, n_outputs, n_players + 1], the background's mean last
  std::vector<double> errors;         ///< standard errors of `values` (same shape); 0 for the mean
  std::vector<std::int64_t> n_evals;  ///< [n_rows]
  ShapleyMethod method = ShapleyMethod::kExact;
};

/// Explains rows by Shapley values. The worth of a coalition is the mean output of hybrid rows over the background: the
/// coalition's features come from the row, the others from a background row (predictor/hybrid/hybrid_trees.h). Hybrid
/// rows have the row's base margin. Players that no tree can distinguish from the background get exactly 0. A row's
/// result has the same bits for any number of threads and whatever other rows are explained. Computed on the CPU,
/// whatever the model's device. \throws Error(kParameter), Error(kData), Error(kModel).
SampledValues ExplainSampled(ReadyModel const& model, SampledTask const& task, SampledOptions const& options);

}  // namespace kauri
