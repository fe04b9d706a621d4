/// \file The average of several models, for example of the folds of a cross-validation, as one model.
#pragma once

#include <vector>

#include "kauri/model.h"

namespace kauri {

/// Returns the model whose margins are the means of the margins of `models`. Iteration i holds the trees of iteration i
/// of each model that has it, side by side like parallel trees: a random forest per iteration, which XGBoost's files
/// can represent. A model listed k times among n has weight k / n: its trees are stored once, with leaves scaled. The
/// result has no attributes and no row counts; its seen categories are the union of all models'. \throws
/// Error(kParameter) for no model, for models that differ in what all trees share (objective, outputs, features, names
/// of categories, intercept), for linear models, and for models whose objective has trained a state.
Model AverageOf(std::vector<Model const*> const& models);

}  // namespace kauri
