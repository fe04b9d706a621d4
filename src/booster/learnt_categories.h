/// \file What a model learns of categories beside its trees: their names, and which of them occurred.
#pragma once

#include "booster/learnt_model.h"
#include "kauri/categories.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// Takes over the names of categories and adds those that `train` has to the ones that the model has seen. Returns
/// whether predictions that were made before are of no use any more.
bool LearnCategories(Context const& ctx, DataMatrix const& train, ModelDraft* draft);

}  // namespace kauri
