/// \file One small training for each feature of kauri/capabilities.h, and what the declarations of its parts say of it.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "booster/booster_fixture.h"
#include "booster/support/feature_table.h"
#include "booster/support/refusals.h"
#include "data/bins/bin_store_maker.h"
#include "kauri/registry.h"
#include "support/row_batches.h"

namespace kauri::testing {

/// The storage of the rows of a training.
enum class Rows { kValues, kTwoLabels, kCategories, kBins, kPages, kApproxPages };
/// The source of the gradients of a training.
enum class Source { kObjective, kCaller, kSplits };

/// A training that asks for features.
struct Example {
  FeatureSet asked;  ///< all of them, but for the place of training
  Params params = {};
  Rows rows = Rows::kValues;
  Source source = Source::kObjective;
  bool updates = false;
};

/// The names of the parts of a training.
struct Parts {
  std::string booster = "gbtree";
  std::string method = "hist";  ///< without gpu_
  std::string device = "cpu";

  bool IsOnDevice() const { return device != "cpu"; }
};

inline std::vector<Example> Examples() {
  using F = Feature;
  Params const by_errors{{"split_criterion", "absolute_error"}, {"objective", "reg:absoluteerror"}};
  Params const symmetric{{"grow_policy", "symmetric"}};
  Params const vectors{{"multi_strategy", "multi_output_tree"}};
  Params const random{{"extra_trees", "1"}};
  Params const ordered{{"categorical_encoding", "ordered"}};
  Params const classes{{"objective", "multi:softprob"}, {"num_class", "3"}};
  return {
      {{}},
      {{F::kOtherObjectives}, {{"objective", "reg:squarederror"}}},
      {{F::kParallelTrees}, {{"num_parallel_tree", "2"}}},
      {{F::kTreeUpdates, F::kUpdaters},
       {{"process_type", "update"}, {"updater", "refresh"}},
       Rows::kValues,
       Source::kObjective,
       true},
      {{F::kUpdaters}, {{"updater", "prune"}}},
      {{F::kRowSampling}, {{"subsample", "0.5"}}},
      {{F::kRowSampling}, {{"bagging_temperature", "1"}}},
      {{F::kRowSampling, F::kGradientSampling}, {{"subsample", "0.5"}, {"sampling_method", "gradient_based"}}},
      {{F::kL2Penalty}, {{"lambda", "1"}}},
      {{F::kL1Penalty}, {{"alpha", "0.1"}}},
      {{F::kMaxDeltaStep}, {{"max_delta_step", "1"}}},
      {{F::kPathSmoothing}, {{"path_smooth", "1"}}},
      {{F::kLinearLeaves}, {{"linear_tree", "1"}}},
      {{F::kMonotone}, {{"monotone_constraints", "(1)"}}},
      {{F::kInteractions}, {{"interaction_constraints", "[[0,1]]"}}},
      {{F::kFeatureCosts}, {{"feature_cost", "(0.1,0,0)"}}},
      {{F::kGainNoise}, {{"random_strength", "1"}}},
      {{F::kAbsoluteError, F::kOtherObjectives}, by_errors},
      {{F::kAbsoluteError, F::kMomentSketch, F::kOtherObjectives},
       With(by_errors, {{"absolute_error_sketch", "moments"}})},
      {{F::kMomentSketch}, {{"absolute_error_sketch", "moments"}}},
      {{F::kAbsoluteError, F::kSmoothLoss}, {{"split_criterion", "absolute_error"}}},
      {{F::kRandomThresholds}, random},
      {{F::kMinDataInLeaf}, {{"min_data_in_leaf", "5"}}},
      {{F::kMinDataPerGroup}, {{"min_data_per_group", "5"}}},
      {{F::kSymmetricTrees}, symmetric},
      {{F::kSymmetricTrees, F::kRandomThresholds, F::kSymmetricThresholds}, With(symmetric, random)},
      {{F::kVectorLeaves}, vectors, Rows::kTwoLabels},
      {{F::kSymmetricTrees, F::kVectorLeaves, F::kSymmetricVectors}, With(symmetric, vectors), Rows::kTwoLabels},
      {{F::kSymmetricTrees, F::kVectorLeaves, F::kRandomThresholds},
       With(With(symmetric, vectors), random),
       Rows::kTwoLabels},
      {{F::kRoundedGradients}, {{"gradient_bits", "8"}}},
      {{F::kRoundedGradients, F::kAbsoluteError, F::kOtherObjectives}, With(by_errors, {{"gradient_bits", "4"}})},
      {{F::kRoundedGradients, F::kLinearLeaves}, {{"gradient_bits", "4"}, {"linear_tree", "1"}}},
      {{F::kRoundedGradients, F::kVectorLeaves}, With(vectors, {{"gradient_bits", "8"}}), Rows::kTwoLabels},
      {{F::kDistribution}, {{"objective", "dist:normal"}, {"multi_strategy", "one_output_per_tree"}}},
      {{F::kDistribution, F::kVectorLeaves}, With(vectors, {{"objective", "dist:normal"}})},
      {{F::kCustomGradients}, {}, Rows::kValues, Source::kCaller},
      {{F::kCustomGradients, F::kSplitGradients}, {}, Rows::kTwoLabels, Source::kSplits},
      {{F::kCustomGradients, F::kSplitGradients, F::kVectorLeaves}, vectors, Rows::kTwoLabels, Source::kSplits},
      {{F::kCategories}, {}, Rows::kCategories},
      {{F::kCategories, F::kMonotone, F::kMonotoneCategories},
       {{"monotone_constraints", "(0,0,1)"}},
       Rows::kCategories},
      {{F::kBins}, {}, Rows::kBins},
      {{F::kBins, F::kPages}, {}, Rows::kPages},
      {{F::kBins, F::kPages, F::kMinDataInLeaf, F::kCountedPages}, {{"min_data_in_leaf", "5"}}, Rows::kPages},
      {{F::kApproxBins, F::kPages}, {}, Rows::kApproxPages},
      {{F::kOrderedEncoding}, ordered, Rows::kCategories},
      {{F::kOrderedEncoding, F::kOrderedCombinations},
       With(ordered, {{"ordered_combination", "2"}}),
       Rows::kCategories},
      {{F::kOrderedEncoding, F::kOtherObjectives, F::kOrderedClasses}, With(ordered, classes), Rows::kCategories},
      {{F::kOrderedEncoding, F::kOtherObjectives, F::kCensoredLabels},
       With(ordered, {{"objective", "survival:cox"}}),
       Rows::kCategories},
  };
}

/// Returns 60 rows of three columns, the last one of small integers; labels are 0 and 1.
inline std::shared_ptr<DataMatrix> MakeRows(Rows rows) {
  constexpr std::int64_t kRows = 60;
  constexpr std::int64_t kCols = 3;
  auto values = MakeValues({kRows, kCols, 0.0, 7, false, 5});
  for (std::int64_t row = 0; row < kRows; ++row) values[ToSize(row * kCols + 2)] = static_cast<float>(row * 7 % 4);
  std::shared_ptr<DataMatrix> data = MakeMatrix(values, kCols, false);
  auto* const info = data->MutableInfo();
  info->n_targets = rows == Rows::kTwoLabels ? 2 : 1;
  for (std::int64_t i = 0; i < kRows * info->n_targets; ++i) info->labels.push_back(static_cast<float>(i * 5 % 3 / 2));
  if (rows == Rows::kCategories) info->feature_types = {"float", "float", "c"};
  if (rows != Rows::kBins && rows != Rows::kPages && rows != Rows::kApproxPages) return data;
  RowBatches batches(*data, 25);
  BinStoreOptions options;
  options.in_file = rows != Rows::kBins;
  options.for_approx = rows == Rows::kApproxPages;
  return MakeBinnedMatrix(Context{}, &batches, options);
}

/// Returns the message of a training's refusal; empty if it trains. Other errors than refusals fail.
inline std::string RefusalOf(Example const& example, Parts const& parts) {
  auto const data = MakeRows(example.rows);
  auto n_outputs = example.rows == Rows::kTwoLabels ? 2 : 1;
  for (auto const& [name, value] : example.params) {
    if (name == "objective" && value == "dist:normal") n_outputs = 2;  // its parameters
  }
  std::vector<GradientPair> const pairs(ToSize(data->NumRows() * n_outputs), GradientPair{0.25F, 0.5F});
  std::vector<GradientPair> const splits(ToSize(data->NumRows()), GradientPair{0.25F, 0.5F});
  Params params{{"nthread", "1"}, {"max_depth", "3"}, {"objective", "binary:logitraw"}, {"lambda", "0"}};
  params = With(params, {{"booster", parts.booster}, {"tree_method", parts.method}, {"device", parts.device}});
  auto const learner = MakeLearner(params);
  if (example.updates && parts.booster != "gblinear") {
    learner->SetParam("booster", "gbtree");
    learner->BoostRound(data, 0);
    learner->SetParam("booster", parts.booster);
  }
  try {
    for (auto const& [name, value] : example.params) learner->SetParam(name, value);
    if (example.source == Source::kCaller) {
      learner->BoostRound(data, 0, Span<GradientPair const>(pairs));
    } else if (example.source == Source::kSplits) {
      learner->BoostRound(data, 0, SplitGradients{splits, 1, pairs});
    } else {
      learner->BoostRound(data, 0);
    }
  } catch (Error const& error) {
    EXPECT_TRUE(error.Kind() == ErrorKind::kParameter || error.Kind() == ErrorKind::kData) << error.what();
    return error.what();
  }
  return {};
}

inline bool Lacks(TrainingPart part, Capabilities const& supports, FeatureSet asked) {
  auto const lacking = asked - supports.features;
  auto const concerning = FeaturesOf(part);
  for (unsigned i = 0; i < static_cast<unsigned>(Feature::kCount); ++i) {
    auto const feature = static_cast<Feature>(i);
    if (lacking.Has(feature) && concerning.Has(feature)) return true;
  }
  for (auto const& pair : supports.excluded) {
    if (asked.Has(pair.first) && asked.Has(pair.second)) return true;
  }
  return false;
}

/// Returns the features that concern a booster without trees, which ignores the parameters of trees.
inline FeatureSet WithoutTrees(FeatureSet asked) {
  FeatureSet const kept{
      Feature::kHostMemory, Feature::kCustomGradients, Feature::kSplitGradients,  Feature::kCategories,
      Feature::kBins,       Feature::kApproxBins,      Feature::kOrderedEncoding, Feature::kDistribution};
  return asked - (asked - kept);
}

/// Returns whether the declarations allow the training.
inline bool IsAllowed(FeatureSet asked, Parts const& parts) {
  auto const& registries = GetRegistries();
  auto const& booster = registries.boosters.Find(parts.booster).supports;
  auto const has_trees = booster.features.Has(Feature::kTrees);
  if (!has_trees) asked = WithoutTrees(asked);
  asked.Add(parts.IsOnDevice() && has_trees ? Feature::kDeviceMemory : Feature::kHostMemory);
  if (Lacks(TrainingPart::kBooster, booster, asked)) return false;
  if (!has_trees) return true;
  if (Lacks(TrainingPart::kEngine, registries.engines.Find(parts.IsOnDevice() ? "cuda" : "cpu").supports, asked))
    return false;
  for (auto const& need : Needs()) {
    if (asked.Has(need.feature) && !asked.Has(need.needed)) return false;
  }
  for (auto const& pair : Exclusions()) {
    if (pair.Holds(asked)) return false;
  }
  auto const method = (parts.IsOnDevice() ? "gpu_" : "") + parts.method;
  return asked.Has(Feature::kTreeUpdates) ||
         !Lacks(TrainingPart::kTreeMethod, registries.tree_methods.Find(method).supports, asked);
}

inline std::string TextOf(Example const& example, Parts const& parts) {
  auto text = parts.booster + ", " + parts.method + ", " + parts.device + ", rows " +
              std::to_string(static_cast<int>(example.rows)) + ", source " +
              std::to_string(static_cast<int>(example.source));
  for (auto const& [name, value] : example.params) text += ", " + name + "=" + value;
  return text;
}

/// Expects that the training succeeds or is refused as its parts declare.
inline void ExpectAsDeclared(Example const& example, Parts const& parts) {
  auto const refusal = RefusalOf(example, parts);
  EXPECT_EQ(refusal.empty(), IsAllowed(example.asked, parts)) << TextOf(example, parts) << ": " << refusal;
}

/// Returns whether one training can ask for both. Two ways of weighting rows are an invalid value of TreeParam.
inline bool GoTogether(Example const& a, Example const& b) {
  if (a.updates || b.updates || (a.rows != b.rows && a.rows != Rows::kValues && b.rows != Rows::kValues)) return false;
  if (a.source != b.source && a.source != Source::kObjective && b.source != Source::kObjective) return false;
  for (auto const& [name, value] : a.params) {
    for (auto const& [other, its_value] : b.params) {
      if (name == other && value != its_value) return false;
    }
  }
  auto const samples = Feature::kRowSampling;
  if (a.asked.Has(samples) && b.asked.Has(samples) && !(a.params == b.params)) return false;
  auto const has = [&](Feature feature) { return a.asked.Has(feature) || b.asked.Has(feature); };
  auto const needs_one_label = has(Feature::kOrderedEncoding) || has(Feature::kDistribution);
  return !needs_one_label || (a.rows != Rows::kTwoLabels && b.rows != Rows::kTwoLabels);
}

/// Returns a training that asks for the features of both, and for those that follow from both.
inline Example Together(Example const& a, Example const& b) {
  Example both{a.asked | b.asked, With(a.params, b.params), a.rows == Rows::kValues ? b.rows : a.rows,
               a.source == Source::kObjective ? b.source : a.source};
  auto& asked = both.asked;
  auto const has = [&](Feature feature) { return asked.Has(feature); };
  auto const is_symmetric = has(Feature::kSymmetricTrees);
  asked.Remove(Feature::kSymmetricVectors);
  asked.Remove(Feature::kSymmetricThresholds);
  asked.AddIf(is_symmetric && has(Feature::kVectorLeaves) && !has(Feature::kRandomThresholds),
              Feature::kSymmetricVectors);
  asked.AddIf(is_symmetric && !has(Feature::kVectorLeaves) && has(Feature::kRandomThresholds),
              Feature::kSymmetricThresholds);
  asked.Remove(Feature::kCountedPages);  // vectors in leaves need no counted pages
  asked.AddIf(has(Feature::kPages) && has(Feature::kMinDataInLeaf) && !has(Feature::kVectorLeaves),
              Feature::kCountedPages);
  auto const is_absolute = std::any_of(both.params.begin(), both.params.end(),
                                       [](auto const& param) { return param.second == "reg:absoluteerror"; });
  asked.Remove(Feature::kSmoothLoss);
  asked.AddIf(has(Feature::kCustomGradients) || !is_absolute, Feature::kSmoothLoss);
  if (has(Feature::kOrderedEncoding)) {
    asked.Remove(Feature::kCategories);
    asked.Remove(Feature::kMonotoneCategories);
    asked.AddIf(has(Feature::kOrderedClasses) && a.asked.Has(Feature::kMonotoneCategories), Feature::kMonotoneClasses);
    asked.AddIf(has(Feature::kOrderedClasses) && b.asked.Has(Feature::kMonotoneCategories), Feature::kMonotoneClasses);
  }
  return both;
}

}  // namespace kauri::testing
