#include "booster/boosters.h"

#include "booster/dart.h"
#include "booster/gblinear.h"
#include "booster/gbtree.h"
#include "kauri/booster.h"

namespace kauri {

void RegisterBoosters(Registry<BoosterFactory>* registry) {
  registry->Add({"gbtree", "Gradient-boosted trees.", MakeGbTree, GbTreeParameters});
  registry->Add({"dart", "Gradient-boosted trees, some of which each round leaves out (dropout).", MakeDart,
                 &DescribeParameters<DartParam>});
  registry->Add({"gblinear", "A linear model, by coordinate descent.", MakeGbLinear, GbLinearParameters});
}

}  // namespace kauri
