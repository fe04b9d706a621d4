/// \file What each file of this folder adds to the registry.
#pragma once

#include "kauri/registry.h"

namespace kauri {

void RegisterSquaredError(Registry<ObjectiveFactory>* registry);  ///< reg:squarederror
void RegisterLogistic(Registry<ObjectiveFactory>* registry);      ///< reg:logistic, binary:logistic, binary:logitraw
void RegisterSoftmax(Registry<ObjectiveFactory>* registry);       ///< multi:softmax, multi:softprob
void RegisterPoisson(Registry<ObjectiveFactory>* registry);       ///< count:poisson
void RegisterLambdaRank(Registry<ObjectiveFactory>* registry);    ///< rank:pairwise, rank:ndcg, rank:map

}  // namespace kauri
