#include "booster/boosters/boosters.h"

#include "booster/boosters/dart.h"
#include "booster/boosters/gblinear.h"
#include "booster/boosters/gbtree.h"
#include "kauri/booster.h"

namespace kauri {

namespace {

/// Features of gbtree and dart: all that concern a booster.
constexpr FeatureSet kTreeBooster{
    Feature::kTrees,           Feature::kHostMemory,       Feature::kDeviceMemory, Feature::kRanks,
    Feature::kOtherObjectives, Feature::kParallelTrees,    Feature::kTreeUpdates,  Feature::kRowSampling,
    Feature::kL2Penalty,       Feature::kL1Penalty,        Feature::kMaxDeltaStep, Feature::kPathSmoothing,
    Feature::kLinearLeaves,    Feature::kMonotone,         Feature::kVectorLeaves, Feature::kSplitGradients,
    Feature::kCustomGradients, Feature::kCategories,       Feature::kBins,         Feature::kApproxBins,
    Feature::kOrderedEncoding, Feature::kRoundedGradients, Feature::kDistribution};

}  // namespace

void RegisterBoosters(Registry<BoosterFactory>* registry) {
  registry->Add({"gbtree", "Gradient-boosted trees.", MakeGbTree, GbTreeParameters, {kTreeBooster}});
  registry->Add({"dart",
                 "Gradient-boosted trees, some of which each round leaves out (dropout).",
                 MakeDart,
                 &DescribeParameters<DartParam>,
                 {kTreeBooster}});
}

void RegisterLinearBooster(Registry<BoosterFactory>* registry) {
  registry->Add({"gblinear",
                 "A linear model, by coordinate descent.",
                 MakeGbLinear,
                 GbLinearParameters,
                 {{Feature::kHostMemory, Feature::kOtherObjectives, Feature::kCustomGradients}}});
}

TrainingParams ParamsOf(Registry<BoosterFactory>::Entry const& booster, ParamMap const& params) {
  if (booster.supports.features.Has(Feature::kTrees)) return TrainingParams(params);
  TrainingParams without_trees;
  without_trees.all = params;
  return without_trees;
}

}  // namespace kauri
