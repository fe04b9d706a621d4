/// \file One model for the mean of several, those of the folds of a cross-validation for example.
#pragma once

#include <vector>

#include "kauri/model.h"

namespace kauri {

/// The model whose margins are the means of those of `models`. Iteration i holds the trees of iteration i of each that
/// has so many, side by side as parallel trees are: a random forest per iteration, which XGBoost's files have a form
/// for. A model that is named k times among n counts as often: its trees are there once, each leaf times k / n. Without
/// attributes and counts of rows; the categories seen are those that any of the models has seen. \throws
/// Error(kParameter) for no model, models that differ in what is said of all trees (objective, outputs, features, names
/// of categories, intercept), linear ones, and such whose objective has learnt a state.
Model AverageOf(std::vector<Model const*> const& models);

}  // namespace kauri
