#include "cuda/objective/device_objective.h"

namespace kauri::cuda {

std::unique_ptr<DeviceObjective> MakeDeviceObjective(Objective const& objective) {
  return std::visit([](auto const& formula) { return MakeObjectiveVersion(formula); }, objective.Formula().value);
}

}  // namespace kauri::cuda
