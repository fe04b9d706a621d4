/// \file Categories that a model stores beside its trees: their names, and which of them occurred in training.
#pragma once

#include "booster/model/trained_model.h"
#include "kauri/categories.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// Takes over the names of categories, and adds the categories of `train` to those seen by the model. Returns whether
/// earlier predictions have become invalid.
bool LearnCategories(Context const& ctx, DataMatrix const& train, ModelDraft* draft);

}  // namespace kauri
