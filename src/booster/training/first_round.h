/// \file Preparation of a model for its first round: sizes and intercept from parameters and data.
#pragma once

#include "booster/config/components.h"
#include "booster/model/trained_model.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// Sets the sizes of an untrained model, and checks those of a trained one. custom: the caller provides the gradients.
/// \throws Error(kData) when `train` has other features or needs other outputs than the model has.
void SettleSizes(Components const& parts, DataMatrix const& train, bool custom, ModelDraft* draft);

/// Sets the base score: the user's, else the objective's estimate, or 0.5 if the caller provides the gradients.
void SettleIntercept(Components const& parts, DataMatrix const& train, bool custom, ModelDraft* draft);

}  // namespace kauri
