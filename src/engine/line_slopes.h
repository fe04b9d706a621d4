/// \file The slopes of a loss that consists of two straight lines, by output, and the test for
/// split_criterion=absolute_error.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/engine.h"
#include "kauri/objective.h"
#include "kauri/span.h"
#include "kauri/tree_builder.h"

namespace kauri {

class LineSlopes {
 public:
  /// Makes empty slopes, for losses of other shapes.
  LineSlopes() = default;
  explicit LineSlopes(Objective const& objective);
  /// Returns whether the loss has another shape.
  bool IsEmpty() const { return alphas_.empty(); }
  /// Returns the errors of an output. residuals, weights: as in LineErrors. Must not be called if empty.
  LineErrors ErrorsOf(Span<float const> residuals, Span<float const> weights, std::int64_t output) const;

 private:
  /// Quantile of each output. Absolute errors have the single value 1/2 for all outputs; empty for other losses.
  std::vector<double> alphas_;
  bool is_absolute_ = false;
};

/// Returns whether split_criterion=absolute_error is set.
bool ReducesErrors(RoundTree const& tree);

}  // namespace kauri
