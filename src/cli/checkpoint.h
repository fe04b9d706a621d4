/// \file Checkpoints of a training: models of save_period that say how far it was, so that resume=true goes on from the
/// newest as if nothing had happened.
///
/// A checkpoint is model_dir/0010.model after ten rounds: a model like any other, with the attribute kauri_checkpoint.
/// Where later rounds change earlier ones, the best model so far lies beside it as 0010.best.model, written first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/early_stopping.h"
#include "cli/options.h"
#include "kauri/model.h"

namespace kauri::cli {

struct Checkpoint {
  std::int64_t rounds = 0;    ///< done in this training, not counting those of model_in
  std::string path;           ///< of the model; empty for a training that has not begun
  EarlyStopping::State best;  ///< what early stopping knows
  std::optional<Model> best_model;
};

/// The shortest text that reads back as the same number.
std::string NumberText(double value);

/// model_dir/0010.model.
std::string NumberedPath(CliParam const& cli, std::int64_t rounds);

/// No file of a checkpoint of this training has a longer path.
std::string LongestCheckpointPath(CliParam const& cli);

/// Writes model_dir/NNNN.model; `model` comes without attributes of a checkpoint. \throws Error(kIo).
void SaveCheckpoint(Options const& options, Model model, Checkpoint const& checkpoint);

/// The newest checkpoint of at most num_round rounds in model_dir; without one, or without resume=true, the beginning.
/// Models without the attribute are passed over, files that a kill left half written are deleted. \throws Error(kModel)
/// for a damaged file, Error(kParameter) when it was made with other parameters.
Checkpoint FindCheckpoint(Options const& options);

/// Takes the attribute away: a model that was trained on is no checkpoint.
void ForgetCheckpoint(std::map<std::string, std::string>* attributes);

}  // namespace kauri::cli
