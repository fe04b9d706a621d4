/// \file The tasks of the command line.
#pragma once

#include "cli/options.h"

namespace kauri::cli {

/// Learns num_round rounds, prints a line of metrics per round to standard output, saves the model.
/// All paths are checked before the first round. \throws Error, and Interrupted by a signal between two rounds.
void Train(Options const& options);

/// Becomes the Python that KAURI_PYTHON names, whose package looks for a good model within a budget (preset=best).
/// \throws Error: there is none; a path or a parameter is wrong.
void TrainBest(Options const& options);

/// Applies model_in to test_path. \throws Error.
void Predict(Options const& options);

/// Writes SHAP values of the rows of test_path for model_in. \throws Error.
void Explain(Options const& options);

/// The same for kind=sampled. \throws Error.
void ExplainSampledRows(Options const& options);

/// Writes the trees of model_in. \throws Error.
void Dump(Options const& options);

/// Writes what features matter to the trees of model_in, the most important first. \throws Error.
void WriteImportance(Options const& options);

/// Writes which leaf of each tree of model_in the rows of test_path end in. \throws Error.
void PredictLeaves(Options const& options);

/// Writes the metrics of model_in on test_path and the evaluation sets, with confidence intervals. \throws Error.
void Evaluate(Options const& options);

/// Writes model_in as model_out, in another format or dialect. \throws Error.
void Convert(Options const& options);

/// Says in a line what model_in is. \throws Error unless it is a sound model, which says what is wrong.
void Check(Options const& options);

/// Says in a line that model_in is what is learnt from data by its receipt. \throws Error unless it is, which says why.
void Verify(Options const& options);

/// Becomes the Python that KAURI_PYTHON names, whose package writes a page about model_in. \throws Error: there is
/// none.
void WritePage(Options const& options);

/// Writes what the columns of data hold. \throws Error.
void Summarize(Options const& options);

/// Writes the metrics of every round over the folds of data. \throws Error.
void CrossValidate(Options const& options);

}  // namespace kauri::cli
