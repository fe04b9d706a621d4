/// \file The words of refusals: what was asked for, what refuses it, and the nearest alternative.
///
/// Vocabulary. A part lacks a feature that it does not declare. Two features exclude each other if no training has
/// both. A feature needs another one if it has no meaning alone. A text has placeholders: the name of a parameter in
/// braces stands for its value. Beside parameters there are {method}, the tree method in the registry, {method_stem},
/// its name without gpu_, {n_devices}, {ordinal}, and those that a request adds.
#pragma once

#include <map>
#include <string>

#include "booster/support/feature_table.h"
#include "kauri/error.h"
#include "kauri/span.h"

namespace kauri {

/// Two features that exclude each other in every training, or in every training that has a third one.
struct Exclusion {
  Feature first;
  Feature second;
  char const* text;
  ErrorKind kind = ErrorKind::kParameter;
  Feature beside = Feature::kCount;  ///< the third feature; kCount: any training

  bool Holds(FeatureSet asked) const {
    return asked.Has(first) && asked.Has(second) && (beside == Feature::kCount || asked.Has(beside));
  }
};
Span<Exclusion const> Exclusions();

/// A feature that needs another one.
struct Need {
  Feature feature;
  Feature needed;
  char const* text;
};
Span<Need const> Needs();

/// A text of its own for a feature that a part lacks, or for a pair that it excludes.
struct PartText {
  TrainingPart part;
  char const* name;  ///< the part's name in the registry, without gpu_; nullptr: any
  Feature feature;
  Feature beside;  ///< another feature of the training; kCount: any
  char const* text;
  ErrorKind kind = ErrorKind::kParameter;
};
/// Returns the text for a lack; nullptr if the general words do. asked: all features of the training.
PartText const* TextOfLack(TrainingPart part, std::string const& name, Feature feature, FeatureSet asked);
/// Returns the text for a pair of features that a part excludes; nullptr if the general words do.
PartText const* TextOfPair(TrainingPart part, std::string const& name, FeaturePair const& pair);

/// Values of placeholders.
using QuotedValues = std::map<std::string, std::string>;
/// Returns the text with the values of its placeholders.
std::string FillIn(char const* text, QuotedValues const& words);

}  // namespace kauri
