/// \file The features of kauri/capabilities.h in words, and the parts of a training that each concerns.
#pragma once

#include "kauri/capabilities.h"

namespace kauri {

/// A kind of part. A feature may concern several kinds. kLimitedMethod: a tree method that lacks the feature ignores
/// it, with a warning.
enum class Part : unsigned { kBooster = 1, kEngine = 2, kTreeMethod = 4, kLimitedMethod = 8 };

struct FeatureInfo {
  Feature feature;
  char const* noun;   ///< the feature in words, plural or without article
  char const* asked;  ///< parameter or data that ask for it, with placeholders in braces (refusals.h)
  char const* undo;   ///< cure that ends the request; begins with a verb
  unsigned parts;     ///< sum of the parts that it concerns; 0: it only matters beside other features
};

FeatureInfo const& InfoOf(Feature feature);
/// Returns the features that concern a kind of part.
FeatureSet FeaturesOf(Part part);

}  // namespace kauri
