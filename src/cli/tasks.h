/// \file The four tasks of the command line.
#pragma once

#include "cli/options.h"

namespace kauri::cli {

/// Learns num_round rounds, prints a line of metrics per round to standard output, saves the model.
/// All paths are checked before the first round. \throws Error, and Interrupted by a signal between two rounds.
void Train(Options const& options);

/// Applies model_in to test_path. \throws Error.
void Predict(Options const& options);

/// Writes SHAP values of the rows of test_path for model_in. \throws Error.
void Explain(Options const& options);

/// The same for kind=sampled. \throws Error.
void ExplainSampledRows(Options const& options);

/// Writes the trees of model_in. \throws Error.
void Dump(Options const& options);

}  // namespace kauri::cli
