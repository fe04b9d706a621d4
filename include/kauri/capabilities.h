/// \file Declarations of what boosters, tree methods and engines support.
///
/// Vocabulary. A feature is something that parameters, gradients or data of a training may ask for. A part is the
/// booster, the tree method or the engine of a training. Every part declares the features that it supports in its entry
/// of the registry. booster/support/training_support.h compares both, and words the refusal. A part is only asked for
/// the features that concern it (booster/support/feature_table.h); a part that declares nothing supports only trainings
/// that ask for nothing of it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace kauri {

enum class Feature : std::uint8_t {
  // The place of training.
  kHostMemory,      ///< device=cpu
  kDeviceMemory,    ///< device=cuda
  kSeveralDevices,  ///< device=cuda:0,1
  kSharedCache,     ///< cache_host_ratio, with several devices
  kRanks,           ///< several process ranks, each with some of the rows
  // Rounds.
  kTrees,             ///< trees of the tree method
  kOtherObjectives,   ///< any objective besides binary:logitraw
  kParallelTrees,     ///< num_parallel_tree > 1
  kTreeUpdates,       ///< process_type=update
  kUpdaters,          ///< updater, without a builder of trees
  kRefresh,           ///< updater=refresh after a builder of trees
  kRowSampling,       ///< subsample < 1, of any sampling_method, and bagging_temperature
  kGradientSampling,  ///< sampling_method=gradient_based
  // Leaf values.
  kL2Penalty,      ///< lambda
  kL1Penalty,      ///< alpha
  kMaxDeltaStep,   ///< max_delta_step
  kPathSmoothing,  ///< path_smooth
  kLinearLeaves,   ///< linear_tree
  // Splits and growth.
  kMonotone,             ///< monotone_constraints
  kInteractions,         ///< interaction_constraints
  kFeatureCosts,         ///< feature_cost
  kGainNoise,            ///< random_strength
  kAbsoluteError,        ///< split_criterion=absolute_error
  kMomentSketch,         ///< absolute_error_sketch=moments
  kRandomThresholds,     ///< extra_trees
  kMinDataInLeaf,        ///< min_data_in_leaf > 1
  kMinDataPerGroup,      ///< min_data_per_group
  kMaxLeaves,            ///< max_leaves; ignored by methods that lack it
  kLossGuide,            ///< grow_policy=lossguide; ignored by methods that lack it
  kSymmetricTrees,       ///< grow_policy=symmetric
  kSymmetricVectors,     ///< symmetric trees with vector leaves, of all thresholds
  kSymmetricThresholds,  ///< symmetric trees with scalar leaves, of random thresholds
  kVectorLeaves,         ///< multi_strategy=multi_output_tree
  // Gradients.
  kRoundedGradients,  ///< gradient_bits
  kSplitGradients,    ///< separate gradients for splits and leaves
  kCustomGradients,   ///< gradients of the caller
  kDistribution,      ///< objective=dist:..., whose outputs are parameters of one distribution
  kSmoothLoss,        ///< an objective whose loss does not consist of two straight lines, or gradients of the caller
  // Data.
  kCategories,          ///< categorical columns
  kMonotoneCategories,  ///< monotone constraints of categorical columns
  kBins,                ///< rows kept as bins (QuantileDMatrix)
  kApproxBins,          ///< a DMatrix in external memory, whose bins serve approx as well
  kPages,               ///< bins in a file (external memory)
  kCountedPages,        ///< bins in a file, with min_data_in_leaf and scalar leaves
  // The ordered encoding of categories.
  kOrderedEncoding,
  kOrderedCombinations,  ///< ordered_combination > 1
  kOrderedClasses,       ///< 3 classes or more
  kMonotoneClasses,      ///< monotone constraints of categorical columns, with 3 classes or more
  kCensoredLabels,       ///< objectives of survival times
  // The model that process_type=update changes.
  kLinearModel,
  kVectorModel,
  kWeightedModel,
  kCount  ///< number of features
};

class FeatureSet {
 public:
  constexpr FeatureSet() = default;
  constexpr FeatureSet(std::initializer_list<Feature> features) {
    for (auto const feature : features) bits_ |= BitOf(feature);
  }
  constexpr bool Has(Feature feature) const { return (bits_ & BitOf(feature)) != 0; }
  constexpr void Add(Feature feature) { bits_ |= BitOf(feature); }
  constexpr void AddIf(bool condition, Feature feature) { bits_ |= condition ? BitOf(feature) : 0; }
  constexpr void Remove(Feature feature) { bits_ &= ~BitOf(feature); }
  /// Returns the features of either set.
  friend constexpr FeatureSet operator|(FeatureSet a, FeatureSet b) { return FeatureSet(a.bits_ | b.bits_); }
  /// Returns the features of `a` that `b` lacks.
  friend constexpr FeatureSet operator-(FeatureSet a, FeatureSet b) { return FeatureSet(a.bits_ & ~b.bits_); }
  friend constexpr bool operator==(FeatureSet a, FeatureSet b) { return a.bits_ == b.bits_; }

 private:
  constexpr explicit FeatureSet(std::uint64_t bits) : bits_(bits) {}
  static constexpr std::uint64_t BitOf(Feature feature) { return std::uint64_t{1} << static_cast<unsigned>(feature); }

  std::uint64_t bits_ = 0;
};

static_assert(static_cast<unsigned>(Feature::kCount) <= 64, "expected at most 64 features, one per bit");

/// Two features that a training cannot have together.
struct FeaturePair {
  Feature first;
  Feature second;
};

/// The features that a part supports, and the pairs of these that it does not support together.
struct Capabilities {
  FeatureSet features = {};
  std::vector<FeaturePair> excluded = {};
};

}  // namespace kauri
