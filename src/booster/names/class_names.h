/// \file Names of classes: labels of text in files, and the attribute of a model that keeps them.
#pragma once

#include "booster/learner.h"
#include "data/text/text_reader.h"
#include "kauri/model.h"

namespace kauri {

/// Returns the classes and categories of a model. Classes are the attribute kauri_classes, which estimators of the
/// Python package also write and read. \throws Error(kModel) for a damaged attribute.
TextNames TextNamesOf(Model const& model);

/// Checks the labels of a file, which was read with `names` = TextNamesOf(model). \throws Error(kData) if they are
/// texts and the model was trained on numbers: nothing says which number a text stands for.
void RequireKnownClasses(TextNames const& names, Model const& model);

/// \throws Error(kParameter) if labels are text and the objective of `learner` is not a classification.
void RequireClassification(TextNames const& names, Learner const& learner);

/// Stores `names.classes` in the model, if there are some and it has none. Returns whether it did. \throws as
/// RequireClassification and RequireKnownClasses.
bool KeepClasses(TextNames const& names, Learner* learner);

}  // namespace kauri
