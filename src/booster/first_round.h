/// \file What a model takes over from parameters and data before it has a round.
#pragma once

#include "booster/components.h"
#include "booster/learnt_model.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// Sizes of an untrained model. custom: gradients come from outside.
/// \throws Error(kData) when `train` has other features or wants other outputs than the model has.
void SettleSizes(Components const& parts, DataMatrix const& train, bool custom, ModelDraft* draft);

/// The base score: the user's, else the objective's estimate, else 0.5 with gradients from outside.
void SettleIntercept(Components const& parts, DataMatrix const& train, bool custom, ModelDraft* draft);

}  // namespace kauri
