#include "objective/objectives.h"

#include "objective/entries.h"

namespace kauri {

void RegisterObjectives(Registry<ObjectiveFactory>* registry) {
  RegisterSquaredError(registry);
  RegisterLogistic(registry);
  RegisterSoftmax(registry);
  RegisterPoisson(registry);
  RegisterSquaredLogError(registry);
  RegisterPseudoHuber(registry);
  RegisterAbsoluteError(registry);
  RegisterQuantileError(registry);
  RegisterExpectileError(registry);
  RegisterGamma(registry);
  RegisterTweedie(registry);
  RegisterHinge(registry);
  RegisterCox(registry);
  RegisterAft(registry);
  RegisterLambdaRank(registry);
}

}  // namespace kauri
