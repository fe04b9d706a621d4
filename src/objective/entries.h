/// \file What each file of this folder adds to the registry.
#pragma once

#include "kauri/registry.h"

namespace kauri {

void RegisterSquaredError(Registry<ObjectiveFactory>* registry);     ///< reg:squarederror
void RegisterLogistic(Registry<ObjectiveFactory>* registry);         ///< reg:logistic, binary:logistic, binary:logitraw
void RegisterSoftmax(Registry<ObjectiveFactory>* registry);          ///< multi:softmax, multi:softprob
void RegisterPoisson(Registry<ObjectiveFactory>* registry);          ///< count:poisson
void RegisterSquaredLogError(Registry<ObjectiveFactory>* registry);  ///< reg:squaredlogerror
void RegisterPseudoHuber(Registry<ObjectiveFactory>* registry);      ///< reg:pseudohubererror
void RegisterAbsoluteError(Registry<ObjectiveFactory>* registry);    ///< reg:absoluteerror
void RegisterQuantileError(Registry<ObjectiveFactory>* registry);    ///< reg:quantileerror
void RegisterExpectileError(Registry<ObjectiveFactory>* registry);   ///< reg:expectileerror
void RegisterGamma(Registry<ObjectiveFactory>* registry);            ///< reg:gamma
void RegisterTweedie(Registry<ObjectiveFactory>* registry);          ///< reg:tweedie
void RegisterHinge(Registry<ObjectiveFactory>* registry);            ///< binary:hinge
void RegisterCox(Registry<ObjectiveFactory>* registry);              ///< survival:cox
void RegisterAft(Registry<ObjectiveFactory>* registry);              ///< survival:aft
void RegisterLambdaRank(Registry<ObjectiveFactory>* registry);       ///< rank:pairwise, rank:ndcg, rank:map

}  // namespace kauri
