/// \file Predictions of a learner for the rows of a data set.
#pragma once

#include "booster/learner.h"
#include "booster/predict/prediction.h"

namespace kauri {

inline Prediction PredictData(Learner const& learner, DataMatrix const& data, PredictOptions const& options) {
  auto const view = data.View();
  return Predict(*learner.Ready(), {*view, data.Info().base_margin, DeclaredColumns::Of(data.Info())}, options);
}

}  // namespace kauri
