/// \file Checkpoints of a training: models saved every save_period rounds together with the state of the training, so
/// that resume=true continues from the newest as if the training had not been interrupted.
///
/// A checkpoint is model_dir/0010.model after ten rounds: an ordinary model with the attribute kauri_checkpoint. If
/// later rounds change earlier ones, the best model so far is saved beside it as 0010.best.model, before it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/early_stopping.h"
#include "cli/options.h"
#include "kauri/model.h"

namespace kauri::cli {

struct Checkpoint {
  std::int64_t rounds = 0;    ///< rounds done in this training, without the rounds of model_in
  std::string path;           ///< path of the model; empty for a training that has not begun
  EarlyStopping::State best;  ///< the state of early stopping
  std::optional<Model> best_model;
};

/// Returns the shortest text that reads back as the same number.
std::string NumberText(double value);

/// Returns the path model_dir/0010.model.
std::string NumberedPath(CliParam const& cli, std::int64_t rounds);

/// Returns the longest path of any checkpoint file of this training.
std::string LongestCheckpointPath(CliParam const& cli);

/// Writes model_dir/NNNN.model; `model` has no attributes of a checkpoint. \throws Error(kIo).
void SaveCheckpoint(Options const& options, Model model, Checkpoint const& checkpoint);

/// Returns the newest checkpoint of at most num_round rounds in model_dir; without one, or without resume=true, the
/// beginning. Models without the attribute are skipped; files that a kill left half written are deleted. \throws
/// Error(kModel) for a damaged file, Error(kParameter) when it was made with other parameters.
Checkpoint FindCheckpoint(Options const& options);

/// Removes the attribute: a model that was trained further is not a checkpoint.
void ForgetCheckpoint(std::map<std::string, std::string>* attributes);

}  // namespace kauri::cli
