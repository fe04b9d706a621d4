/// \file Interactions of sets of features of any size, for a model and its rows. Safe from many threads.
#pragma once

#include "booster/predict/explanation.h"
#include "predictor/interactions/set_interactions.h"

namespace kauri {

/// Returns the interactions of each row; takes no background. The bits do not depend on the device. Uses the covers
/// that shap_cover selects. \throws Error(kParameter): a linear model, linear leaves, or as
/// ComputeSetInteractions; Error(kData): rows that do not fit.
SetInteractions ExplainInteractions(ReadyModel const& model, ExplainTask const& task, IterationRange iterations,
                                    SetInteractionOptions const& options);

}  // namespace kauri
