#include "booster/support/feature_table.h"

#include <array>
#include <cstddef>

namespace kauri {
namespace {

constexpr unsigned kB = static_cast<unsigned>(TrainingPart::kBooster);
constexpr unsigned kE = static_cast<unsigned>(TrainingPart::kEngine);
constexpr unsigned kM = static_cast<unsigned>(TrainingPart::kTreeMethod);
constexpr unsigned kL = static_cast<unsigned>(TrainingPart::kLimitedMethod);
constexpr auto kCount = static_cast<std::size_t>(Feature::kCount);

/// All features, in the order of the enumeration.
constexpr std::array<FeatureInfo, kCount> kTable{{
    {Feature::kHostMemory, "training in host memory", "device=cpu", "set device=cuda", kB | kM},
    {Feature::kDeviceMemory, "training on a device", "device=cuda", "set device=cpu", kB | kM},
    {Feature::kSeveralDevices, "training on several devices", "device=cuda:N,M", "name one device", kM},
    {Feature::kSharedCache, "bins in host memory with several devices", "cache_host_ratio={cache_host_ratio}",
     "leave cache_host_ratio out", kM},
    {Feature::kRanks, "distributed training", "several process ranks", "train in one process", kB | kM},
    {Feature::kTrees, "trees of a tree method", "tree_method", "choose another booster", 0},
    {Feature::kOtherObjectives, "objectives besides binary:logitraw", "objective={objective}",
     "set objective=binary:logitraw", kB},
    {Feature::kParallelTrees, "random forests", "num_parallel_tree={num_parallel_tree}", "set num_parallel_tree=1", kB},
    {Feature::kTreeUpdates, "updates of a model's trees", "process_type=update", "set process_type=default", kB | kE},
    {Feature::kUpdaters, "updaters of trees", "updater={updater}", "leave updater out", 0},
    {Feature::kRefresh, "refreshed new trees", "updater={updater}", "leave refresh out", 0},
    {Feature::kRowSampling, "sampling of rows, and the Bayesian bootstrap",
     "subsample={subsample} and bagging_temperature={bagging_temperature}", "set subsample=1 and bagging_temperature=0",
     kB | kE},
    {Feature::kGradientSampling, "sampling of rows by gradients", "sampling_method=gradient_based",
     "set sampling_method=uniform", kE},
    {Feature::kL2Penalty, "L2 penalties of leaves", "lambda={lambda}", "set lambda=0", kB},
    {Feature::kL1Penalty, "L1 penalties of leaves", "alpha={alpha}", "set alpha=0", kB},
    {Feature::kMaxDeltaStep, "limits of leaf values", "max_delta_step={max_delta_step}", "set max_delta_step=0", kB},
    {Feature::kPathSmoothing, "leaf values smoothed along paths", "path_smooth={path_smooth}", "set path_smooth=0",
     kB | kM},
    {Feature::kLinearLeaves, "linear leaves", "linear_tree=1", "set linear_tree=0", kB | kE},
    {Feature::kMonotone, "monotone constraints", "monotone_constraints={monotone_constraints}",
     "leave monotone_constraints out", kB | kM},
    {Feature::kInteractions, "interaction constraints", "interaction_constraints={interaction_constraints}",
     "leave interaction_constraints out", kM},
    {Feature::kFeatureCosts, "feature costs", "feature_cost={feature_cost}", "leave feature_cost out", kM},
    {Feature::kGainNoise, "noise on gains", "random_strength={random_strength}", "set random_strength=0", kM},
    {Feature::kAbsoluteError, "splits by absolute errors", "split_criterion=absolute_error",
     "set split_criterion=gradient", kM},
    {Feature::kMomentSketch, "absolute errors estimated from moments", "absolute_error_sketch=moments",
     "set absolute_error_sketch=bins", kM},
    {Feature::kRandomThresholds, "random thresholds", "extra_trees=1", "set extra_trees=0", kM},
    {Feature::kMinDataInLeaf, "a smallest number of rows in a leaf", "min_data_in_leaf={min_data_in_leaf}",
     "set min_data_in_leaf=0", kM},
    {Feature::kMinDataPerGroup, "a smallest number of rows in a set of categories",
     "min_data_per_group={min_data_per_group}", "set min_data_per_group=0", kM},
    {Feature::kMaxLeaves, "a largest number of leaves", "max_leaves", "set max_leaves=0", kL},
    {Feature::kLossGuide, "growth by the largest gain", "grow_policy=lossguide", "set grow_policy=depthwise", kL},
    {Feature::kSymmetricTrees, "symmetric trees", "grow_policy=symmetric", "set grow_policy=depthwise", kM},
    {Feature::kSymmetricVectors, "symmetric trees with vector leaves and without random thresholds",
     "grow_policy=symmetric", "set extra_trees=1", kM},
    {Feature::kSymmetricThresholds, "symmetric trees with scalar leaves and random thresholds", "grow_policy=symmetric",
     "set extra_trees=0", kM},
    {Feature::kVectorLeaves, "vector leaves", "multi_strategy=multi_output_tree",
     "set multi_strategy=one_output_per_tree", kB | kM},
    {Feature::kRoundedGradients, "rounded gradients", "gradient_bits={gradient_bits}", "set gradient_bits=0", kB | kM},
    {Feature::kSplitGradients, "separate gradients for splits and leaves", "gradients for splits",
     "leave out the gradients for splits", kB},
    {Feature::kCustomGradients, "gradients of the caller", "custom gradients", "leave the gradients out", kB},
    {Feature::kDistribution, "objectives of whole distributions", "objective={objective}", "choose another objective",
     kB},
    {Feature::kSmoothLoss, "losses other than reg:absoluteerror and reg:quantileerror", "the objective",
     "choose another objective", 0},
    {Feature::kCategories, "categorical columns", "categorical columns", "make them numbers", kB | kM},
    {Feature::kMonotoneCategories, "monotone constraints of categorical columns",
     "monotone_constraints={monotone_constraints}", "leave the column free", kM},
    {Feature::kBins, "rows kept as bins (QuantileDMatrix)", "QuantileDMatrix", "make a DMatrix", kB | kM},
    {Feature::kApproxBins, "a DMatrix in external memory", "external memory", "make a DMatrix in memory", kB | kM},
    {Feature::kPages, "bins in a file (external memory)", "external memory", "keep the bins in memory", kM},
    {Feature::kCountedPages, "bins in a file, with a smallest number of rows in a scalar leaf",
     "min_data_in_leaf={min_data_in_leaf}", "set min_data_in_leaf=0", kM},
    {Feature::kOrderedEncoding, "ordered encoding of categories", "categorical_encoding=ordered",
     "set categorical_encoding=partition", kB | kE},
    {Feature::kOrderedCombinations, "ordered combinations of columns", "ordered_combination of 2 or more",
     "set ordered_combination=1", 0},
    {Feature::kOrderedClasses, "ordered encoding for 3 classes or more", "3 classes or more",
     "set categorical_encoding=partition", 0},
    {Feature::kMonotoneClasses, "monotone constraints of columns that are encoded for 3 classes or more",
     "monotone_constraints={monotone_constraints}", "leave the column free", 0},
    {Feature::kCensoredLabels, "objectives of censored times", "objective={objective}", "choose another objective", 0},
    {Feature::kLinearModel, "models with linear leaves", "the model", "train a new model", 0},
    {Feature::kVectorModel, "models with vector leaves", "the model", "train a new model", 0},
    {Feature::kWeightedModel, "models of booster=dart", "the model", "train a new model", 0},
}};

constexpr bool IsInOrder() {
  for (std::size_t i = 0; i < kCount; ++i) {
    if (static_cast<std::size_t>(kTable[i].feature) != i) return false;
  }
  return true;
}
static_assert(IsInOrder(), "expected the features in the order of the enumeration");

}  // namespace

FeatureInfo const& InfoOf(Feature feature) { return kTable[static_cast<std::size_t>(feature)]; }

FeatureSet FeaturesOf(TrainingPart part) {
  FeatureSet features;
  for (auto const& info : kTable) features.AddIf((info.parts & static_cast<unsigned>(part)) != 0, info.feature);
  return features;
}

}  // namespace kauri
