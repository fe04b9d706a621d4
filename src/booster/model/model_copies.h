/// \file Models made of other models: copies of parts, slices, and averages of several models.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/model.h"

namespace kauri {

/// Returns a copy of the model without its trees and their numbering. Does not pay for copying the trees.
Model WithoutTrees(Model const& model);

/// Returns a model of iterations begin, begin + step, ... below end (0: all). Keeps the attributes of early stopping
/// only if they still hold. \throws Error(kParameter) when the range or the step does not fit, and for a linear model.
Model SliceOf(Model const& model, IterationRange range, std::int64_t step);

/// Returns the model whose margins are the means of the margins of `models`. Iteration i holds the trees of iteration i
/// of each model that has it, side by side like parallel trees: a random forest per iteration, which XGBoost's files
/// can represent. A model listed k times among n has weight k / n: its trees are stored once, with leaves scaled. The
/// result has no attributes and no row counts; its seen categories are the union of all models'. \throws
/// Error(kParameter) for no model, for models that differ in what all trees share (objective, outputs, features, names
/// of categories, intercept), for linear models, and for models whose objective has trained a state.
Model AverageOf(std::vector<Model const*> const& models);

}  // namespace kauri
