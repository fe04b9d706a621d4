#include "booster/support/training_support.h"

#include <sstream>

#include "booster/boosters/tree_updates.h"
#include "common/text/quoted.h"
#include "data/bins/bin_store.h"
#include "data/categories/categories.h"
#include "data/memory_budget.h"
#include "engine/round_errors.h"
#include "kauri/error.h"
#include "kauri/registry.h"
#include "tree/absolute_error/error_criterion.h"
#include "tree/constraints/constraints.h"
#include "tree/feature_cost.h"

namespace kauri {
namespace {

std::string TextOf(float value) {
  std::ostringstream text;
  text.precision(9);
  text << value;
  return text.str();
}

std::string ValueOf(ParamMap const& params, char const* name) {
  auto const found = params.find(name);
  return found == params.end() ? "(none)" : found->second;
}

template <typename Factory>
Capabilities const* SupportsOf(Registry<Factory> const& registry, std::string const& name) {
  auto const* const entry = registry.TryFind(name);
  return entry == nullptr ? nullptr : &entry->supports;
}

/// Returns the first feature of `asked` that concerns the part and that it does not declare; kCount if there is none.
Feature FirstLack(TrainingPart part, Capabilities const* supports, FeatureSet asked) {
  auto const lacking = supports == nullptr ? asked : asked - supports->features;
  auto const concerning = FeaturesOf(part);
  for (unsigned i = 0; i < static_cast<unsigned>(Feature::kCount); ++i) {
    auto const feature = static_cast<Feature>(i);
    if (lacking.Has(feature) && concerning.Has(feature)) return feature;
  }
  return Feature::kCount;
}

FeaturePair const* FirstExcludedPair(Capabilities const* supports, FeatureSet asked) {
  if (supports == nullptr) return nullptr;
  for (auto const& pair : supports->excluded) {
    if (asked.Has(pair.first) && asked.Has(pair.second)) return &pair;
  }
  return nullptr;
}

/// Returns the names of the registry's parts that support all that is asked of them, as "hist, approx or exact".
template <typename Factory>
std::string NamesThatSupport(Registry<Factory> const& registry, TrainingPart part, FeatureSet asked) {
  std::vector<std::string> names;
  for (auto const& entry : registry.Entries()) {
    auto const lacks = FirstLack(part, &entry.supports, asked) != Feature::kCount;
    if (!lacks && FirstExcludedPair(&entry.supports, asked) == nullptr) names.push_back(entry.name);
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + WithoutDevicePrefix(names[i]);
  }
  return text;
}

/// Throws for a method without a device version. The registry's message would name a value that the user did not write:
/// gpu_hist for tree_method=auto.
[[noreturn]] void FailNoDeviceVersion(std::string const& given) {
  std::string known;
  for (auto const& entry : GetRegistries().tree_methods.Entries()) {
    if (!entry.supports.features.Has(Feature::kDeviceMemory)) continue;
    known += (known.empty() ? "" : ", ") + WithoutDevicePrefix(entry.name);
  }
  auto const on_cpu = ResolveTreeMethod(given, DeviceKind::kCpu);
  Fail(ErrorKind::kParameter, "tree_method=", given, on_cpu == given ? "" : " means " + on_cpu + ", which",
       " has no version for device=cuda. Use ", known.empty() ? "" : "tree_method=" + known + ", or ", "device=cpu.");
}

char const* ParameterOf(TrainingPart part) {
  return part == TrainingPart::kBooster ? "booster=" : part == TrainingPart::kTreeMethod ? "tree_method=" : "device=";
}

/// Adds the columns that refusals of categorical columns name: the first one, and the first one with a sign. signs: of
/// monotone constraints.
void AddColumnWords(MetaInfo const& info, std::vector<std::int8_t> const& signs, Request* request) {
  auto is_first = true;
  for (std::size_t column = 0; column < info.feature_types.size(); ++column) {
    if (!IsCategorical(info, column)) continue;
    if (is_first) {
      auto const has_name = column < info.feature_names.size();
      auto const name = has_name ? " (" + Quoted(info.feature_names[column]) + ")" : std::string();
      request->words.emplace("category", std::to_string(column) + name);
      is_first = false;
    }
    if (column >= signs.size()) return;
    if (signs[column] == 0) continue;
    request->features.Add(Feature::kMonotoneCategories);
    request->words.emplace("sign", std::to_string(static_cast<int>(signs[column])));
    request->words.emplace("column", std::to_string(column));
    return;
  }
}

}  // namespace

TrainingSupport::TrainingSupport(std::string const& booster, TrainingParams const& params, Device const& device)
    : params_(params),
      gbtree_(ParseParameters<GbTreeParam>({})),
      device_(device),
      booster_{TrainingPart::kBooster, booster, SupportsOf(GetRegistries().boosters, booster)} {
  auto const on_device = device.kind == DeviceKind::kCuda;
  auto const* const engine = on_device ? "cuda" : "cpu";
  engine_ = {TrainingPart::kEngine, engine, SupportsOf(GetRegistries().engines, engine)};
  asked_.Add(on_device ? Feature::kDeviceMemory : Feature::kHostMemory);
  asked_.AddIf(ValueOf(params.all, "objective").rfind("dist:", 0) == 0, Feature::kDistribution);
  builds_trees_ = booster_.supports != nullptr && booster_.supports->features.Has(Feature::kTrees);
  if (!builds_trees_) return;
  gbtree_ = ParseParameters<GbTreeParam>(params.all);
  method_ = ChooseTreeMethod(gbtree_, device.kind);
  asked_.AddIf(ValueOf(params.all, "objective") != "binary:logitraw", Feature::kOtherObjectives);
  asked_.AddIf(gbtree_.num_parallel_tree > 1, Feature::kParallelTrees);
  asked_.AddIf(params.tree.linear_tree, Feature::kLinearLeaves);
  if (Updates()) {
    asked_.Add(Feature::kTreeUpdates);
    asked_.AddIf(!UpdaterList(gbtree_.updater).is_empty, Feature::kUpdaters);
  } else if (method_.entry != nullptr) {
    AddBuilding();
    AddSplits();
    AddGrowth();
  }
}

/// Adds what the parameters ask of rounds and leaves.
void TrainingSupport::AddBuilding() {
  auto const& tree = params_.tree;
  UpdaterList const updaters(gbtree_.updater);
  asked_.AddIf(updaters.refreshes, Feature::kRefresh);
  asked_.AddIf(!updaters.is_empty && !updaters.builds, Feature::kUpdaters);
  asked_.AddIf(tree.subsample < 1.0F || tree.bagging_temperature > 0.0F, Feature::kRowSampling);
  auto const by_gradient = tree.subsample < 1.0F && tree.sampling_method == TreeParam::kGradientBased;
  asked_.AddIf(by_gradient, Feature::kGradientSampling);
  asked_.AddIf(tree.lambda != 0.0F, Feature::kL2Penalty);
  asked_.AddIf(tree.alpha != 0.0F, Feature::kL1Penalty);
  asked_.AddIf(tree.max_delta_step != 0.0F, Feature::kMaxDeltaStep);
  asked_.AddIf(tree.path_smooth > 0.0F, Feature::kPathSmoothing);
  asked_.AddIf(tree.gradient_bits > 0, Feature::kRoundedGradients);
  asked_.AddIf(!device_.ordinals.empty(), Feature::kSeveralDevices);
  auto const keeps_on_host = ParseParameters<MemoryParam>(params_.all).cache_host_ratio > 0.0F;
  asked_.AddIf(!device_.ordinals.empty() && keeps_on_host, Feature::kSharedCache);
}

/// Adds what the parameters ask of the choice of splits.
void TrainingSupport::AddSplits() {
  auto const& tree = params_.tree;
  auto const constraints = ParseConstraints(tree);
  asked_.AddIf(constraints.HasMonotone(), Feature::kMonotone);
  asked_.AddIf(constraints.limits_features, Feature::kInteractions);
  asked_.AddIf(!ParseFeatureCost(tree).empty(), Feature::kFeatureCosts);
  asked_.AddIf(tree.random_strength > 0.0F, Feature::kGainNoise);
  asked_.AddIf(tree.split_criterion == TreeParam::kAbsoluteError, Feature::kAbsoluteError);
  if (auto const sketch = ErrorSketchOf(params_.all)) asked_ = asked_ | sketch->Asks();
  asked_.AddIf(tree.min_data_in_leaf > 1, Feature::kMinDataInLeaf);
  asked_.AddIf(tree.min_data_per_group != 0, Feature::kMinDataPerGroup);
}

/// Adds what the parameters ask of growth and of the kind of leaves.
void TrainingSupport::AddGrowth() {
  auto const is_symmetric = params_.tree.grow_policy == TreeParam::kSymmetric;
  auto const has_vectors = gbtree_.multi_strategy == GbTreeParam::kMultiOutputTree;
  auto const is_random = params_.tree.extra_trees;
  asked_.AddIf(is_random, Feature::kRandomThresholds);
  asked_.AddIf(is_symmetric, Feature::kSymmetricTrees);
  asked_.AddIf(has_vectors, Feature::kVectorLeaves);
  asked_.AddIf(is_symmetric && has_vectors && !is_random, Feature::kSymmetricVectors);
  asked_.AddIf(is_symmetric && is_random && !has_vectors, Feature::kSymmetricThresholds);
}

void TrainingSupport::Require(Request const& more) const {
  auto const asked = asked_ | more.features;
  CheckRole(booster_, asked, more.words);
  auto const has_method = builds_trees_ && !Updates();
  if (has_method && method_.entry == nullptr) FailNoDeviceVersion(method_.given);
  CheckRole(engine_, asked, more.words);
  CheckNeeds(asked, more.words);
  CheckExclusions(asked, more.words);
  if (has_method) CheckRole({TrainingPart::kTreeMethod, method_.name, &method_.entry->supports}, asked, more.words);
}

void TrainingSupport::RequireData(Request const& round, DataMatrix const& data, Objective const& loss,
                                  std::int64_t n_outputs) const {
  if (Updates()) return;
  auto more = round;
  auto& asked = more.features;
  auto const is_custom = asked.Has(Feature::kCustomGradients);
  asked.AddIf(data.NumRows() > 0 && (is_custom || LineSlopes(loss).IsEmpty()), Feature::kSmoothLoss);
  if (HasCategorical(data.Info())) {
    asked.Add(Feature::kCategories);
    auto const is_monotone = asked_.Has(Feature::kMonotone);  // texts are read again only where they matter
    AddColumnWords(data.Info(), is_monotone ? ParseConstraints(params_.tree).signs : std::vector<std::int8_t>(), &more);
  }
  auto const has_vectors = asked_.Has(Feature::kVectorLeaves) && n_outputs > 1;
  auto const is_symmetric = asked_.Has(Feature::kSymmetricTrees) && asked_.Has(Feature::kRandomThresholds);
  asked.AddIf(is_symmetric && !has_vectors, Feature::kSymmetricThresholds);
  if (data.Store() != nullptr) {
    auto const bins = BinsOf(data);
    auto const is_in_file = bins != nullptr && bins->IsInFile();
    asked.Add(bins != nullptr && bins->IsForApprox() ? Feature::kApproxBins : Feature::kBins);
    asked.AddIf(is_in_file, Feature::kPages);
    asked.AddIf(is_in_file && asked_.Has(Feature::kMinDataInLeaf) && !has_vectors, Feature::kCountedPages);
    more.words.emplace("store", data.Store()->Describe());
  }
  Require(more);
}

bool TrainingSupport::Updates() const { return gbtree_.process_type == GbTreeParam::kUpdate; }

void TrainingSupport::CheckRole(Role const& role, FeatureSet asked, QuotedValues const& words) const {
  auto const lack = FirstLack(role.part, role.supports, asked);
  if (lack != Feature::kCount) FailLack(role, lack, asked, words);
  if (auto const* const pair = FirstExcludedPair(role.supports, asked)) FailPair(role, *pair, words);
}

void TrainingSupport::CheckNeeds(FeatureSet asked, QuotedValues const& words) const {
  for (auto const& need : Needs()) {
    if (!asked.Has(need.feature) || asked.Has(need.needed)) continue;
    Fail(ErrorKind::kParameter, FillIn(need.text, AllWords(words)));
  }
}

void TrainingSupport::CheckExclusions(FeatureSet asked, QuotedValues const& words) const {
  for (auto const& pair : Exclusions()) {
    if (pair.Holds(asked)) Fail(pair.kind, FillIn(pair.text, AllWords(words)));
  }
}

void TrainingSupport::FailLack(Role const& role, Feature feature, FeatureSet asked, QuotedValues const& more) const {
  auto const words = AllWords(more);
  auto const stem = WithoutDevicePrefix(role.name);
  if (auto const* const own = TextOfLack(role.part, stem, feature, asked)) Fail(own->kind, FillIn(own->text, words));
  auto const& registries = GetRegistries();
  auto others = role.part == TrainingPart::kBooster  ? NamesThatSupport(registries.boosters, role.part, asked)
                : role.part == TrainingPart::kEngine ? NamesThatSupport(registries.engines, role.part, asked)
                                                     : NamesThatSupport(registries.tree_methods, role.part, asked);
  if (!others.empty()) others = std::string("use ") + ParameterOf(role.part) + others + ", or ";
  auto const& info = InfoOf(feature);
  Fail(ErrorKind::kParameter, FillIn(info.asked, words), ": ", ParameterOf(role.part), stem, " does not support ",
       info.noun, "; ", others, info.undo, ".");
}

void TrainingSupport::FailPair(Role const& role, FeaturePair const& pair, QuotedValues const& more) const {
  auto const words = AllWords(more);
  auto const stem = WithoutDevicePrefix(role.name);
  if (auto const* const own = TextOfPair(role.part, stem, pair)) Fail(own->kind, FillIn(own->text, words));
  auto const& first = InfoOf(pair.first);
  auto const& second = InfoOf(pair.second);
  Fail(ErrorKind::kParameter, FillIn(first.asked, words), ": ", ParameterOf(role.part), stem, " does not support ",
       first.noun, " together with ", second.noun, "; ", first.undo, ", or ", second.undo, ".");
}

QuotedValues TrainingSupport::AllWords(QuotedValues const& more) const {
  auto const& tree = params_.tree;
  QuotedValues words{{"objective", ValueOf(params_.all, "objective")},
                     {"num_parallel_tree", std::to_string(gbtree_.num_parallel_tree)},
                     {"process_type", Updates() ? "update" : "default"},
                     {"updater", gbtree_.updater},
                     {"subsample", TextOf(tree.subsample)},
                     {"bagging_temperature", TextOf(tree.bagging_temperature)},
                     {"lambda", TextOf(tree.lambda)},
                     {"alpha", TextOf(tree.alpha)},
                     {"max_delta_step", TextOf(tree.max_delta_step)},
                     {"path_smooth", TextOf(tree.path_smooth)},
                     {"gradient_bits", std::to_string(tree.gradient_bits)},
                     {"monotone_constraints", tree.monotone_constraints},
                     {"interaction_constraints", tree.interaction_constraints},
                     {"feature_cost", tree.feature_cost},
                     {"random_strength", TextOf(tree.random_strength)},
                     {"min_data_in_leaf", std::to_string(tree.min_data_in_leaf)},
                     {"min_data_per_group", std::to_string(tree.min_data_per_group)},
                     {"cache_host_ratio", TextOf(ParseParameters<MemoryParam>(params_.all).cache_host_ratio)},
                     {"n_devices", std::to_string(device_.ordinals.size())},
                     {"ordinal", std::to_string(device_.ordinal)},
                     {"method", method_.name},
                     {"method_stem", WithoutDevicePrefix(method_.name)}};
  words.insert(more.begin(), more.end());
  return words;
}

}  // namespace kauri
