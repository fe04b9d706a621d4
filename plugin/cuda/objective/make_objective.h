/// \file The function that makes a device objective of a formula, for each alternative of ObjectiveFormula. Each file
/// of this folder defines some.
#pragma once

#include <memory>
#include <vector>

#include "cuda/objective/device_objective.h"
#include "objective/formula.h"

namespace kauri::cuda {

#define KAURI_DECLARE_VERSION(Loss) std::unique_ptr<DeviceObjective> MakeObjectiveVersion(Loss const& loss);
KAURI_FOR_EACH_ELEMENT_LOSS(KAURI_DECLARE_VERSION)
#undef KAURI_DECLARE_VERSION
std::unique_ptr<DeviceObjective> MakeObjectiveVersion(SoftmaxLoss const& loss);
std::unique_ptr<DeviceObjective> MakeObjectiveVersion(AbsoluteLoss const& loss);
std::unique_ptr<DeviceObjective> MakeObjectiveVersion(std::vector<QuantileLoss> const& losses);
std::unique_ptr<DeviceObjective> MakeObjectiveVersion(std::vector<ExpectileLoss> const& losses);
std::unique_ptr<DeviceObjective> MakeObjectiveVersion(AftLoss const& loss);
std::unique_ptr<DeviceObjective> MakeObjectiveVersion(CoxLoss const& loss);
std::unique_ptr<DeviceObjective> MakeObjectiveVersion(LambdaRule const& rule);
std::unique_ptr<DeviceObjective> MakeObjectiveVersion(UnbiasedRule const& rule);
inline std::unique_ptr<DeviceObjective> MakeObjectiveVersion(std::monostate) { return nullptr; }

}  // namespace kauri::cuda
