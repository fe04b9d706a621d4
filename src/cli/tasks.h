/// \file The tasks of the command line.
#pragma once

#include "cli/options.h"

namespace kauri::cli {

/// Trains num_round rounds, prints a line of metrics per round to standard output, saves the model. All paths are
/// checked before the first round. \throws Error, and Interrupted by a signal between two rounds.
void Train(Options const& options);

/// Replaces this process by the Python that KAURI_PYTHON names, whose package searches for a good model within a budget
/// (preset=best). \throws Error: there is no Python; a path or a parameter is wrong.
void TrainBest(Options const& options);

/// Applies model_in to test_path. \throws Error.
void Predict(Options const& options);

/// Writes SHAP values of the rows of test_path for model_in. \throws Error.
void Explain(Options const& options);

/// Writes sampled SHAP values (kind=sampled). \throws Error.
void ExplainSampledRows(Options const& options);

/// Writes the trees of model_in. \throws Error.
void Dump(Options const& options);

/// Writes the importance of the features for the trees of model_in, the most important first. \throws Error.
void WriteImportance(Options const& options);

/// Writes the leaf of each tree of model_in that each row of test_path reaches. \throws Error.
void PredictLeaves(Options const& options);

/// Writes the metrics of model_in on test_path and the evaluation sets, with confidence intervals. \throws Error.
void Evaluate(Options const& options);

/// Writes model_in as model_out, in another format or dialect. \throws Error.
void Convert(Options const& options);

/// Describes model_in in a line. \throws Error unless it is a sound model, which says what is wrong.
void Check(Options const& options);

/// Confirms in a line that training on data by the receipt of model_in gives the same model. \throws Error with the
/// reason if it does not.
void Verify(Options const& options);

/// Replaces this process by the Python that KAURI_PYTHON names, whose package writes a page about model_in. \throws
/// Error: there is no Python.
void WritePage(Options const& options);

/// Writes a summary of the columns of data. \throws Error.
void Summarize(Options const& options);

/// Writes the metrics of every round over the folds of data. \throws Error.
void CrossValidate(Options const& options);

}  // namespace kauri::cli
