/// \file Other searches for splits by absolute error than label bins, by name.
///
/// tree_method=hist searches by label bins (label_bins.h) unless a registered sketch is chosen. src/research registers
/// one.
#pragma once

#include <memory>

#include "kauri/capabilities.h"
#include "kauri/parameter.h"
#include "kauri/registry.h"
#include "tree/growth/host_growth.h"

namespace kauri {

/// Summarises residuals for tree_method=hist with split_criterion=absolute_error. Immutable, shared by threads.
class ErrorSketch {
 public:
  virtual ~ErrorSketch() = default;
  /// Returns the features that a training with the sketch asks for.
  virtual FeatureSet Asks() const = 0;
  /// Returns the function that makes the criterion of a tree.
  virtual MakeCriterion Criterion() const = 0;
};

/// Returns the registered sketch that the parameters choose; null: label bins. \throws Error(kParameter).
std::shared_ptr<ErrorSketch const> ErrorSketchOf(ParamMap const& map);

/// Returns the parameters that registered sketches declare.
ParameterTable ErrorSketchParameters();

}  // namespace kauri
