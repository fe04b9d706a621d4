#include "booster/support/refusals.h"

#include <cstring>
#include <iterator>

namespace kauri {
namespace {

constexpr char kLinearLeavesNeedValues[] =
    "linear_tree=1 needs the values of the features in memory, but the data are {store}. Only the `hist` tree method "
    "can use it: make a DMatrix of the same rows, or train with tree_method=hist.";
constexpr char kLinearModelNeedsValues[] =
    "booster=gblinear needs the values of the features in memory, but the data are {store}. Only the `hist` tree "
    "method can use it: make a DMatrix of the same rows, or train with tree_method=hist.";
constexpr char kMethodNeedsValues[] =
    "tree_method={method_stem} needs the values of the features in memory, but the data are {store}. Only the `hist` "
    "tree method can use it: make a DMatrix of the same rows, or train with tree_method=hist.";

constexpr Exclusion kExclusions[] = {
    {Feature::kPathSmoothing, Feature::kMonotone,
     "path_smooth={path_smooth} with monotone_constraints={monotone_constraints}: leaf values smoothed towards their "
     "parents' may break the constraints; leave out one of the two."},
    {Feature::kGainNoise, Feature::kAbsoluteError,
     "random_strength={random_strength} adds noise to gains of gradients, but split_criterion=absolute_error compares "
     "errors; set random_strength=0, or split_criterion=gradient."},
    {Feature::kLinearLeaves, Feature::kTreeUpdates,
     "linear_tree=1 with process_type=update: no updater fits linear leaves; leave out one of the two."},
    {Feature::kLinearLeaves, Feature::kVectorLeaves,
     "linear_tree=1 does not support leaves with several outputs; set multi_strategy=one_output_per_tree, or "
     "linear_tree=0."},
    {Feature::kLinearLeaves, Feature::kMonotone,
     "linear_tree=1 with monotone_constraints={monotone_constraints}: the slopes in leaves may break the constraints; "
     "leave out one of the two."},
    {Feature::kLinearLeaves, Feature::kMaxDeltaStep,
     "linear_tree=1 with max_delta_step={max_delta_step}: the slopes in leaves do not support this limit; set "
     "max_delta_step=0, or linear_tree=0."},
    {Feature::kLinearLeaves, Feature::kRanks,
     "linear_tree=1 needs all rows in one process; for distributed training use linear_tree=0."},
    {Feature::kLinearLeaves, Feature::kBins, kLinearLeavesNeedValues, ErrorKind::kData},
    {Feature::kLinearLeaves, Feature::kApproxBins, kLinearLeavesNeedValues, ErrorKind::kData},
    {Feature::kAbsoluteError, Feature::kVectorLeaves,
     "split_criterion=absolute_error does not support trees with several outputs; set "
     "multi_strategy=one_output_per_tree, or split_criterion=gradient."},
    {Feature::kAbsoluteError, Feature::kMonotone,
     "split_criterion=absolute_error does not support monotone_constraints; leave these out, or use "
     "split_criterion=gradient."},
    {Feature::kAbsoluteError, Feature::kSymmetricTrees,
     "split_criterion=absolute_error does not support grow_policy=symmetric; set grow_policy=depthwise, or use "
     "split_criterion=gradient."},
    {Feature::kAbsoluteError, Feature::kRandomThresholds,
     "split_criterion=absolute_error does not support extra_trees=1; set extra_trees=0, or use "
     "split_criterion=gradient."},
    {Feature::kAbsoluteError, Feature::kFeatureCosts,
     "split_criterion=absolute_error measures gains by errors, but feature_cost is in units of gradient gains; leave "
     "it "
     "out, or use split_criterion=gradient."},
    {Feature::kAbsoluteError, Feature::kRanks,
     "split_criterion=absolute_error needs all rows in one process; for distributed training use "
     "split_criterion=gradient."},
    {Feature::kAbsoluteError, Feature::kSmoothLoss,
     "split_criterion=absolute_error needs objective=reg:absoluteerror or reg:quantileerror, whose losses are "
     "piecewise "
     "linear; got another objective or custom gradients; use split_criterion=gradient."},
    {Feature::kAbsoluteError, Feature::kCategories,
     "split_criterion=absolute_error has no splits by sets of categories, and the data have categorical columns; give "
     "these as numbers, or use split_criterion=gradient."},
    {Feature::kRoundedGradients, Feature::kVectorLeaves,
     "gradient_bits={gradient_bits} does not support trees with several outputs; set "
     "multi_strategy=one_output_per_tree, or gradient_bits=0."},
    {Feature::kRoundedGradients, Feature::kLinearLeaves,
     "gradient_bits={gradient_bits} with linear_tree=1: linear leaves are fitted to gradients that are not rounded; "
     "leave out one of the two."},
    {Feature::kRoundedGradients, Feature::kAbsoluteError,
     "gradient_bits={gradient_bits} rounds gradients, but split_criterion=absolute_error compares errors; set "
     "gradient_bits=0, or split_criterion=gradient."},
    {Feature::kTreeUpdates, Feature::kRanks,
     "process_type=update needs all rows in one process; for distributed training use process_type=default."},
    {Feature::kTreeUpdates, Feature::kLinearModel,
     "process_type=update: the model has linear leaves (linear_tree=1), which no updater changes; train a new model, "
     "or "
     "add rounds to this one with process_type=default.",
     ErrorKind::kModel},
    {Feature::kTreeUpdates, Feature::kVectorModel,
     "process_type=update: the model has trees with vector leaves (multi_strategy=multi_output_tree), which no updater "
     "changes; train a new model, or add rounds to this one with process_type=default.",
     ErrorKind::kModel},
    {Feature::kTreeUpdates, Feature::kWeightedModel,
     "process_type=update takes trees of booster=gbtree only; the trees of this model have weights (dropout). Add "
     "rounds with process_type=default, or train a new model."},
    {Feature::kRefresh, Feature::kRowSampling,
     "updater={updater} with subsample={subsample} and bagging_temperature={bagging_temperature}: a new tree cannot be "
     "refreshed on rows that were not sampled for it, or with other weights; refresh the model afterwards with "
     "process_type=update, or leave refresh out."},
    {Feature::kSplitGradients, Feature::kPathSmoothing,
     "path_smooth={path_smooth} does not support separate gradients for splits and leaves; set path_smooth=0, or leave "
     "out the gradients for splits."},
    {Feature::kSplitGradients, Feature::kMonotone,
     "Monotonic constraints are not supported with reduced gradients: leave out "
     "monotone_constraints={monotone_constraints}, or leave out the gradients for splits."},
    {Feature::kPages, Feature::kRanks,
     "with device=cuda external memory (bins in a file) needs all rows in one process; for distributed training use "
     "device=cpu, or QuantileDMatrix, which keeps the bins in memory, and more ranks.",
     ErrorKind::kParameter, Feature::kDeviceMemory},
    {Feature::kOrderedEncoding, Feature::kRanks,
     "categorical_encoding=ordered does not go with distributed training: the encoding of a row depends on rows of all "
     "ranks; train in one process, or leave categorical_encoding=partition."},
    {Feature::kOrderedEncoding, Feature::kCustomGradients,
     "categorical_encoding=ordered does not go with custom gradients: they come from predictions that have used the "
     "labels of all rows; use one of the library's objectives, or leave categorical_encoding=partition."},
    {Feature::kOrderedEncoding, Feature::kCensoredLabels,
     "categorical_encoding=ordered does not go with objective={objective}: a censored time has no mean; use an "
     "objective whose labels are exact numbers, or leave categorical_encoding=partition."},
    {Feature::kOrderedEncoding, Feature::kBins,
     "categorical_encoding=ordered needs the values of the features in memory, but the data are {store}. Only the "
     "`hist` tree method can use it: make a DMatrix of the same rows, or train with tree_method=hist.",
     ErrorKind::kData},
    {Feature::kOrderedCombinations, Feature::kInteractions,
     "categorical_encoding=ordered does not go with interaction_constraints and ordered_combination of 2 or more: a "
     "combination lets its columns interact; leave out interaction_constraints or ordered_combination, or leave "
     "categorical_encoding=partition."},
    {Feature::kOrderedCombinations, Feature::kFeatureCosts,
     "categorical_encoding=ordered does not go with feature_cost and ordered_combination of 2 or more: a combination "
     "has no cost of its own; leave out feature_cost or ordered_combination, or leave categorical_encoding=partition."},
    {Feature::kOrderedClasses, Feature::kInteractions,
     "categorical_encoding=ordered does not go with interaction_constraints and 3 classes or more: a category has a "
     "column for each class; leave out interaction_constraints, or leave categorical_encoding=partition."},
    {Feature::kOrderedClasses, Feature::kFeatureCosts,
     "categorical_encoding=ordered does not go with feature_cost and 3 classes or more: a column of a class has no "
     "cost "
     "of its own; leave out feature_cost, or leave categorical_encoding=partition."},
    {Feature::kOrderedClasses, Feature::kMonotoneClasses,
     "categorical_encoding=ordered does not go with monotone_constraints of the categorical column {column} and 3 "
     "classes or more: where one class has a larger share, others have a smaller one; leave the column free, or leave "
     "categorical_encoding=partition."},
};

constexpr Need kNeeds[] = {
    {Feature::kMomentSketch, Feature::kAbsoluteError,
     "absolute_error_sketch=moments is used by split_criterion=absolute_error only, but split_criterion=gradient is "
     "set; set split_criterion=absolute_error with tree_method=hist and device=cpu, or leave absolute_error_sketch "
     "out."},
    {Feature::kSplitGradients, Feature::kVectorLeaves,
     "Reduced gradient must be used with vector leaf trees: separate gradients for splits and leaves need "
     "multi_strategy=multi_output_tree, tree_method=hist and process_type=default; set these, or leave out the "
     "gradients for splits (return None from split_grad)."},
    {Feature::kTreeUpdates, Feature::kUpdaters,
     "process_type=update needs to know what to do with the trees; set updater=refresh, updater=prune or "
     "updater=refresh,prune."},
    {Feature::kUpdaters, Feature::kTreeUpdates,
     "updater={updater} changes existing trees and builds no new ones; set process_type=update to change the trees of "
     "a model."},
};

constexpr auto kAny = Feature::kCount;

constexpr char kAdaBoostRounds[] =
    "booster=adaboost adds one tree a round, and num_parallel_tree={num_parallel_tree} and process_type={process_type} "
    "were given; set num_parallel_tree=1 and process_type=default, or use booster=gbtree.";

constexpr PartText kLacks[] = {
    {TrainingPart::kBooster, "adaboost", Feature::kOtherObjectives, kAny,
     "booster=adaboost trains binary classifiers, whose trees add up to half the log-odds; objective={objective} is "
     "not "
     "supported: set objective=binary:logitraw."},
    {TrainingPart::kBooster, "adaboost", Feature::kDeviceMemory, kAny,
     "booster=adaboost builds trees in host memory, and device=cuda was given; set device=cpu, or use booster=gbtree "
     "with objective=binary:exponential."},
    {TrainingPart::kBooster, "adaboost", Feature::kRowSampling, kAny,
     "subsample={subsample} and bagging_temperature={bagging_temperature}: booster=adaboost measures the error of each "
     "tree on all rows; set subsample=1 and bagging_temperature=0, or use booster=gbtree."},
    {TrainingPart::kBooster, "adaboost", Feature::kParallelTrees, kAny, kAdaBoostRounds},
    {TrainingPart::kBooster, "adaboost", Feature::kTreeUpdates, kAny, kAdaBoostRounds},
    {TrainingPart::kBooster, "adaboost", Feature::kL2Penalty, kAny,
     "lambda={lambda} shrinks leaf values, but leaves of booster=adaboost hold votes; set lambda=0, or use "
     "booster=gbtree."},
    {TrainingPart::kBooster, "adaboost", Feature::kL1Penalty, kAny,
     "alpha={alpha} shrinks leaf values, but leaves of booster=adaboost hold votes; set alpha=0, or use "
     "booster=gbtree."},
    {TrainingPart::kBooster, "adaboost", Feature::kMaxDeltaStep, kAny,
     "max_delta_step={max_delta_step} shrinks leaf values, but leaves of booster=adaboost hold votes; set "
     "max_delta_step=0, or use booster=gbtree."},
    {TrainingPart::kBooster, "adaboost", Feature::kPathSmoothing, kAny,
     "path_smooth={path_smooth} shrinks leaf values, but leaves of booster=adaboost hold votes; set path_smooth=0, or "
     "use booster=gbtree."},
    {TrainingPart::kBooster, "adaboost", Feature::kLinearLeaves, kAny,
     "linear_tree=1 fits linear leaves, but leaves of booster=adaboost hold votes; set linear_tree=0, or use "
     "booster=gbtree."},
    {TrainingPart::kBooster, "adaboost", Feature::kMonotone, kAny,
     "monotone_constraints={monotone_constraints} bound leaf values, but leaves of booster=adaboost hold votes; leave "
     "the constraints out, or use booster=gbtree."},
    {TrainingPart::kBooster, "adaboost", Feature::kCustomGradients, kAny,
     "the booster has a built-in loss, {own_loss}, but gradients were passed; leave the gradients out, or use "
     "booster=gbtree."},
    {TrainingPart::kBooster, nullptr, Feature::kSplitGradients, kAny,
     "Reduced gradient must be used with vector leaf trees: separate gradients for splits are supported by "
     "booster=gbtree and dart only; leave out the gradients for splits (return None from split_grad)."},
    {TrainingPart::kBooster, "gblinear", Feature::kRanks, kAny,
     "booster=gblinear needs all rows in one process; for distributed training use booster=gbtree or dart."},
    {TrainingPart::kBooster, "gblinear", Feature::kCategories, kAny,
     "booster=gblinear cannot learn from categories, and column {category} is categorical (type 'c'). Use "
     "booster=gbtree, or one-hot columns.",
     ErrorKind::kData},
    {TrainingPart::kBooster, "gblinear", Feature::kBins, kAny, kLinearModelNeedsValues, ErrorKind::kData},
    {TrainingPart::kBooster, "gblinear", Feature::kApproxBins, kAny, kLinearModelNeedsValues, ErrorKind::kData},
    {TrainingPart::kBooster, "gblinear", Feature::kOrderedEncoding, kAny,
     "categorical_encoding=ordered does not go with booster=gblinear: the encoding is for trees; use booster=gbtree, "
     "or "
     "leave categorical_encoding=partition."},
    {TrainingPart::kEngine, "cuda", Feature::kLinearLeaves, kAny,
     "linear_tree=1 has no version for device=cuda; set device=cpu, or linear_tree=0."},
    {TrainingPart::kEngine, "cuda", Feature::kTreeUpdates, kAny,
     "process_type=update has no version for device=cuda; use device=cpu."},
    {TrainingPart::kEngine, "cuda", Feature::kOrderedEncoding, kAny,
     "categorical_encoding=ordered does not go with device=cuda: the encoding is computed in host memory; train with "
     "device=cpu, or leave categorical_encoding=partition."},
    {TrainingPart::kTreeMethod, nullptr, Feature::kHostMemory, kAny,
     "tree_method={method} builds trees in device memory; set device=cuda, or tree_method={method_stem} with "
     "device=cpu."},
    {TrainingPart::kTreeMethod, nullptr, Feature::kSeveralDevices, kAny,
     "tree_method={method_stem} trains on one device, and device names {n_devices} devices. Train with "
     "device=cuda:{ordinal}, or with tree_method=hist; predictions take several."},
    {TrainingPart::kTreeMethod, nullptr, Feature::kSharedCache, kAny,
     "cache_host_ratio={cache_host_ratio} works with one device only, and device names {n_devices} devices; leave one "
     "of the two out."},
    {TrainingPart::kTreeMethod, nullptr, Feature::kRanks, Feature::kDeviceMemory,
     "with device=cuda distributed training needs tree_method=hist and one number in each leaf, got "
     "tree_method={method}. Change that, or use device=cpu."},
    {TrainingPart::kTreeMethod, nullptr, Feature::kRanks, kAny,
     "tree_method={method} needs all rows in one process; for distributed training use tree_method=hist or approx."},
    {TrainingPart::kTreeMethod, "exact", Feature::kGainNoise, kAny,
     "random_strength={random_strength}: tree_method=exact has no noise on gains with device=cuda; set "
     "tree_method=hist or approx, device=cpu, or random_strength=0."},
    {TrainingPart::kTreeMethod, nullptr, Feature::kAbsoluteError, kAny,
     "split_criterion=absolute_error: tree_method={method} does not support it; set tree_method=exact, "
     "tree_method=hist with device=cpu, or split_criterion=gradient."},
    {TrainingPart::kTreeMethod, "exact", Feature::kMomentSketch, kAny,
     "absolute_error_sketch=moments sums moments over bins of features, and tree_method=exact has no bins; set "
     "tree_method=hist with device=cpu, or absolute_error_sketch=bins."},
    {TrainingPart::kTreeMethod, nullptr, Feature::kSymmetricTrees, kAny,
     "grow_policy=symmetric: tree_method={method} makes no symmetric trees; set tree_method=hist, or "
     "grow_policy=depthwise."},
    {TrainingPart::kTreeMethod, nullptr, Feature::kSymmetricVectors, kAny,
     "grow_policy=symmetric supports vector leaves only with random thresholds; set extra_trees=1, "
     "multi_strategy=one_output_per_tree, or grow_policy=depthwise."},
    {TrainingPart::kTreeMethod, nullptr, Feature::kSymmetricThresholds, Feature::kVectorLeaves,
     "extra_trees=1: grow_policy=symmetric supports random thresholds only with vector leaves, and the model has one "
     "output; set extra_trees=0, or grow_policy=depthwise."},
    {TrainingPart::kTreeMethod, nullptr, Feature::kSymmetricThresholds, kAny,
     "extra_trees=1: grow_policy=symmetric supports random thresholds only with vector leaves; set "
     "multi_strategy=multi_output_tree, extra_trees=0, or grow_policy=depthwise."},
    {TrainingPart::kTreeMethod, nullptr, Feature::kVectorLeaves, kAny,
     "Only the hist tree method is supported for building multi-target trees with vector leaf: "
     "multi_strategy=multi_output_tree, but tree_method={method} builds no trees with vector leaves; use "
     "tree_method=hist, or multi_strategy=one_output_per_tree."},
    {TrainingPart::kTreeMethod, nullptr, Feature::kMonotoneCategories, kAny,
     "monotone_constraints has {sign} for feature {column}, which is categorical: categories have no order. Give 0 for "
     "it, or make it a number."},
    {TrainingPart::kTreeMethod, nullptr, Feature::kBins, kAny, kMethodNeedsValues, ErrorKind::kData},
    {TrainingPart::kTreeMethod, nullptr, Feature::kApproxBins, kAny, kMethodNeedsValues, ErrorKind::kData},
    {TrainingPart::kTreeMethod, nullptr, Feature::kCountedPages, kAny,
     "min_data_in_leaf={min_data_in_leaf} needs the bins in memory, and they are in a file (external memory); use "
     "QuantileDMatrix in place of ExtMemQuantileDMatrix, or "
     "bound leaves by min_child_weight."},
};

constexpr PartText kPairs[] = {
    {TrainingPart::kTreeMethod, nullptr, Feature::kSymmetricTrees, Feature::kPages,
     "grow_policy=symmetric needs the bins in memory, and they are in a file (external memory); use QuantileDMatrix in "
     "place of ExtMemQuantileDMatrix, or set grow_policy=depthwise."},
    {TrainingPart::kTreeMethod, nullptr, Feature::kAbsoluteError, Feature::kPages,
     "split_criterion=absolute_error needs the bins in memory, and they are in a file (external memory); use "
     "QuantileDMatrix in place of ExtMemQuantileDMatrix, or split_criterion=gradient."},
    {TrainingPart::kTreeMethod, "hist", Feature::kVectorLeaves, Feature::kRanks,
     "with device=cuda distributed training needs tree_method=hist and one number in each leaf, got "
     "multi_strategy=multi_output_tree. Change that, or use device=cpu."},
    {TrainingPart::kTreeMethod, nullptr, Feature::kSharedCache, Feature::kApproxBins,
     "cache_host_ratio={cache_host_ratio} works with one device only, and device names {n_devices} devices; leave one "
     "of the two out."},
    {TrainingPart::kTreeMethod, "exact", Feature::kMinDataPerGroup, Feature::kCategories,
     "min_data_per_group={min_data_per_group}: tree_method=exact supports it with categorical columns only on the CPU; "
     "use device=cpu, or "
     "tree_method=hist."},
    {TrainingPart::kTreeMethod, "exact", Feature::kMinDataInLeaf, Feature::kCategories,
     "min_data_in_leaf={min_data_in_leaf}: tree_method=exact supports it with categorical columns only on the CPU; use "
     "device=cpu, or "
     "tree_method=hist."},
    {TrainingPart::kTreeMethod, "exact", Feature::kRandomThresholds, Feature::kCategories,
     "extra_trees=1: tree_method=exact supports it with categorical columns only on the CPU; use device=cpu, or "
     "tree_method=hist."},
};

bool IsOf(PartText const& text, TrainingPart part, std::string const& name, Feature feature) {
  return text.part == part && text.feature == feature && (text.name == nullptr || name == text.name);
}

}  // namespace

Span<Exclusion const> Exclusions() { return {std::data(kExclusions), std::size(kExclusions)}; }
Span<Need const> Needs() { return {std::data(kNeeds), std::size(kNeeds)}; }

PartText const* TextOfLack(TrainingPart part, std::string const& name, Feature feature, FeatureSet asked) {
  for (auto const& text : kLacks) {
    if (IsOf(text, part, name, feature) && (text.beside == kAny || asked.Has(text.beside))) return &text;
  }
  return nullptr;
}

PartText const* TextOfPair(TrainingPart part, std::string const& name, FeaturePair const& pair) {
  for (auto const& text : kPairs) {
    if (IsOf(text, part, name, pair.first) && text.beside == pair.second) return &text;
  }
  return nullptr;
}

std::string FillIn(char const* text, QuotedValues const& words) {
  std::string filled;
  for (auto const* at = text; *at != '\0';) {
    auto const* const end = *at == '{' ? std::strchr(at, '}') : nullptr;
    if (end == nullptr) {
      filled += *at++;
      continue;
    }
    std::string const name(at + 1, end);
    auto const found = words.find(name);
    if (found == words.end()) Fail(ErrorKind::kInternal, "expected a value of {", name, "} in '", text, "', got none");
    filled += found->second;
    at = end + 1;
  }
  return filled;
}

}  // namespace kauri
