/// \file Labels and categories of text: the names that a model knows them by.
#pragma once

#include "booster/learner.h"
#include "cli/options.h"
#include "data/text/text_names.h"
#include "kauri/model.h"

namespace kauri::cli {

/// The classes and categories of a model. Classes are the attribute kauri_classes, which estimators of the Python
/// package write and read, too.
TextNames NamesOf(Model const& model);

/// Keeps `names.classes` in the model, if there are some. \throws Error(kParameter) unless the objective is one of
/// classes.
void KeepClasses(TextNames const& names, Learner* learner);

/// \throws Error(kParameter) where labels are text and the objective of `learner` is not one of classes.
void RequireClassification(TextNames const& names, Learner const& learner);

}  // namespace kauri::cli
