#include "booster/boosters/boosters.h"

#include "booster/boosters/dart.h"
#include "booster/boosters/gblinear.h"
#include "booster/boosters/gbtree.h"
#include "kauri/booster.h"

namespace kauri {

void RegisterBoosters(Registry<BoosterFactory>* registry) {
  registry->Add({"gbtree", "Gradient-boosted trees.", MakeGbTree, GbTreeParameters});
  registry->Add({"dart", "Gradient-boosted trees, some of which each round leaves out (dropout).", MakeDart,
                 &DescribeParameters<DartParam>});
}

void RegisterLinearBooster(Registry<BoosterFactory>* registry) {
  registry->Add({"gblinear", "A linear model, by coordinate descent.", MakeGbLinear, GbLinearParameters});
}

}  // namespace kauri
