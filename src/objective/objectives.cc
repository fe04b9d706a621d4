#include "objective/objectives.h"

#include "objective/entries.h"

namespace kauri {

void RegisterObjectives(Registry<ObjectiveFactory>* registry) {
  RegisterSquaredError(registry);
  RegisterLogistic(registry);
  RegisterSoftmax(registry);
  RegisterPoisson(registry);
  RegisterLambdaRank(registry);
}

}  // namespace kauri
