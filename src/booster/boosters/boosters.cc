#include "booster/boosters/boosters.h"

#include "booster/boosters/adaboost.h"
#include "booster/boosters/dart.h"
#include "booster/boosters/gblinear.h"
#include "booster/boosters/gbtree.h"
#include "kauri/booster.h"

namespace kauri {

namespace {

/// Features of gbtree and dart: all that concern a booster.
constexpr FeatureSet kTreeBooster{Feature::kTrees,          Feature::kHostMemory,      Feature::kDeviceMemory,
                                  Feature::kRanks,          Feature::kOtherObjectives, Feature::kParallelTrees,
                                  Feature::kTreeUpdates,    Feature::kRowSampling,     Feature::kL2Penalty,
                                  Feature::kL1Penalty,      Feature::kMaxDeltaStep,    Feature::kPathSmoothing,
                                  Feature::kLinearLeaves,   Feature::kMonotone,        Feature::kVectorLeaves,
                                  Feature::kSplitGradients, Feature::kCustomGradients, Feature::kCategories,
                                  Feature::kBins,           Feature::kApproxBins,      Feature::kOrderedEncoding};

/// Features of AdaBoost: the error of a tree on all rows decides its weight, and leaves hold votes.
constexpr FeatureSet kVotingBooster{Feature::kTrees,          Feature::kHostMemory, Feature::kRanks,
                                    Feature::kCategories,     Feature::kBins,       Feature::kApproxBins,
                                    Feature::kOrderedEncoding};

}  // namespace

void RegisterBoosters(Registry<BoosterFactory>* registry) {
  registry->Add({"gbtree", "Gradient-boosted trees.", MakeGbTree, GbTreeParameters, {kTreeBooster}});
  registry->Add({"dart",
                 "Gradient-boosted trees, some of which each round leaves out (dropout).",
                 MakeDart,
                 &DescribeParameters<DartParam>,
                 {kTreeBooster}});
  registry->Add({"adaboost",
                 "Trees that vote on two classes, by AdaBoost.M1: objective=binary:logitraw; eta=1, lambda=0 and "
                 "min_child_weight=0 unless they are given.",
                 MakeAdaBoost,
                 nullptr,
                 {kVotingBooster}});
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
