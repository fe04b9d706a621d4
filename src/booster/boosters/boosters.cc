#include "booster/boosters/boosters.h"

#include "booster/boosters/adaboost.h"
#include "booster/boosters/dart.h"
#include "booster/boosters/gblinear.h"
#include "booster/boosters/gbtree.h"
#include "kauri/booster.h"

namespace kauri {

void RegisterBoosters(Registry<BoosterFactory>* registry) {
  registry->Add({"gbtree", "Gradient-boosted trees.", MakeGbTree, GbTreeParameters});
  registry->Add({"dart", "Gradient-boosted trees, some of which each round leaves out (dropout).", MakeDart,
                 &DescribeParameters<DartParam>});
  registry->Add({"adaboost",
                 "Trees that vote on two classes, by AdaBoost.M1: objective=binary:logitraw; eta=1, lambda=0 and "
                 "min_child_weight=0 unless they are given.",
                 MakeAdaBoost});
  registry->Add({"gblinear", "A linear model, by coordinate descent.", MakeGbLinear, GbLinearParameters});
}

}  // namespace kauri
