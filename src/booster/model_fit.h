/// \file Whether what a model has learnt fits the parameters and the data that it is to be used with next.
#pragma once

#include <cstdint>
#include <string>

#include "booster/components.h"
#include "kauri/data_matrix.h"
#include "kauri/model.h"

namespace kauri {

/// A linear model has no trees, and the other way round. \throws Error(kParameter).
void RequireSameKind(Model const& model, std::string const& booster);

/// \throws Error(kParameter) when the parameters tell another number of classes apart than a model with rounds does.
void RequireSameClasses(Model const& model, Components const& parts);

/// \throws Error(kData) when training data want other outputs than a model with rounds has.
void RequireSameOutputs(Model const& model, Components const& parts, MetaInfo const& train);

/// \throws Error(kModel) without a model.
void CheckPredictable(Model const& model);

/// \throws Error(kParameter) unless each column of the model is one of the data's, so that it can have a share in a
/// prediction: a combination is of several, and a share of a class is a part of one.
void CheckExplicable(Model const& model);

}  // namespace kauri
