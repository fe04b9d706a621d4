/// \file Other searches for splits by absolute error than label bins, by name.
///
/// tree_method=hist searches by label bins (label_bins.h) unless a registered sketch is chosen. src/research registers
/// one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kauri/registry.h"
#include "kauri/span.h"
#include "kauri/tree.h"
#include "kauri/tree_param.h"

namespace kauri {

struct GrowthRules;
struct TreeTask;
struct HistData;

/// Summarises residuals for tree_method=hist with split_criterion=absolute_error. Immutable, shared by threads.
class ErrorSketch {
 public:
  virtual ~ErrorSketch() = default;
  /// Checks that the sketch serves the tree method, given by its name in the registry, and the parameters.
  /// \throws Error(kParameter).
  virtual void Require(std::string const& tree_method, TreeParam const& param) const = 0;
  /// Grows a tree by its own search.
  virtual Tree Grow(Context const& ctx, GrowthRules const& rules, TreeTask const& task, HistData* hist,
                    Span<std::int32_t> leaf_of_row) const = 0;
};

/// Returns the registered sketch that the parameters choose; null: label bins. \throws Error(kParameter).
std::shared_ptr<ErrorSketch const> ErrorSketchOf(ParamMap const& map);

/// Returns the parameters that registered sketches declare.
ParameterTable ErrorSketchParameters();

}  // namespace kauri
