/// \file Explanations of a model's rows by sampled coalitions, on any scale: margins, predictions, losses. Safe from
/// many threads.
#pragma once

#include <cstdint>
#include <vector>

#include "booster/column_kinds.h"
#include "booster/ready_model.h"
#include "common/permutation/estimate.h"
#include "kauri/data_matrix.h"
#include "kauri/meta_info.h"
#include "kauri/model.h"

namespace kauri {

enum class ExplainedOutput {
  kMargin,
  kValue,  ///< what the objective makes of margins
  kLoss    ///< of the row, by the objective's own metric
};

/// "margin", "value" or "loss". \throws Error(kParameter) for another name.
ExplainedOutput ExplainedOutputNamed(std::string const& name);

/// Rows and background must outlive the task.
struct SampledTask {
  DataView const& rows;
  MetaInfo const& info;  ///< of the rows: base margins, and labels for kLoss
  DataView const& background;
  DeclaredColumns columns = {};
  DeclaredColumns background_columns = {};
};

struct SampledOptions {
  ExplainedOutput output = ExplainedOutput::kValue;
  IterationRange iterations;
  std::vector<std::vector<std::int64_t>> players;  ///< features that join together; empty: each feature alone
  ShapleyOptions shapley;
};

struct SampledValues {
  std::int64_t n_outputs = 1;
  std::int64_t n_players = 0;
  std::vector<double> values;         ///< [n_rows, n_outputs, n_players + 1], the background's mean last
  std::vector<double> errors;         ///< likewise, of the mean 0
  std::vector<std::int64_t> n_evals;  ///< [n_rows]
  ShapleyMethod method = ShapleyMethod::kExact;
};

/// A coalition is worth the mean over the background's rows of the output for hybrid rows: the coalition's features
/// from the row, the others from the background (predictor/hybrid/hybrid_trees.h). A row's base margin is that of its
/// hybrid rows. Players that no tree can tell apart from the background have exactly 0. The same bits for any number of
/// threads, and for any rows beside a row. Computed on the CPU, whatever the model's device. \throws Error(kParameter),
/// Error(kData), Error(kModel).
SampledValues ExplainSampled(ReadyModel const& model, SampledTask const& task, SampledOptions const& options);

}  // namespace kauri
