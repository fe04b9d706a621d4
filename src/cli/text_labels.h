/// \file Labels and categories of text: their names in a model.
#pragma once

#include "booster/learner.h"
#include "cli/options.h"
#include "data/text/text_names.h"
#include "kauri/model.h"

namespace kauri::cli {

/// Returns the classes and categories of a model. Classes are the attribute kauri_classes, which estimators of the
/// Python package also write and read.
TextNames NamesOf(Model const& model);

/// Stores `names.classes` in the model, if there are some. \throws Error(kParameter) unless the objective is a
/// classification.
void KeepClasses(TextNames const& names, Learner* learner);

/// \throws Error(kParameter) if labels are text and the objective of `learner` is not a classification.
void RequireClassification(TextNames const& names, Learner const& learner);

}  // namespace kauri::cli
