/// \file Checks that a trained model fits the parameters and data that it is used with next.
#pragma once

#include <cstdint>
#include <string>

#include "booster/config/components.h"
#include "kauri/data_matrix.h"
#include "kauri/model.h"

namespace kauri {

/// Checks that a linear model is used with a linear booster, and a tree model with a booster of trees. \throws
/// Error(kParameter).
void RequireSameKind(Model const& model, std::string const& booster);

/// Checks the number of classes. \throws Error(kParameter) when the parameters have another number than a model with
/// rounds.
void RequireSameClasses(Model const& model, Components const& parts);
/// \throws Error(kParameter) if the objective is a distribution, dist:..., whose parameters are not the raw scores of a
/// model with rounds: the model has another number of outputs, or was trained with another distribution.
void RequireSameDistribution(Model const& model, Components const& parts);

/// Checks the number of outputs. \throws Error(kData) when training data need another number than a model with rounds
/// has.
void RequireSameOutputs(Model const& model, Components const& parts, MetaInfo const& train);

/// Checks that there is a model to predict with. \throws Error(kModel) if there is none.
void CheckPredictable(Model const& model);

/// Checks that contributions can be assigned to columns. \throws Error(kParameter) unless each column of the model is a
/// column of the data: a combination has several data columns, and a class fraction is only part of a data column.
void CheckExplicable(Model const& model);

}  // namespace kauri
