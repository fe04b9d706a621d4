/// \file Losses that consist of two straight lines: their slopes by output, the residuals of a round, and the test for
/// split_criterion=absolute_error.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/engine.h"
#include "kauri/meta_info.h"
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

class RoundErrors {
 public:
  /// Begins a round of this objective.
  void Begin(Objective const& objective) {
    slopes_ = LineSlopes(objective);
    is_computed_ = false;
  }
  /// Records that the gradients of the round do not come from an objective.
  void Forget() { slopes_ = LineSlopes(); }
  /// Returns the errors of one tree; without residuals if the loss has another shape. margins: [n_rows, n_outputs]. The
  /// residuals belong to the margins at the beginning of the round, because trees of one round do not see each other.
  /// Valid until the next round.
  LineErrors Of(Context const& ctx, MetaInfo const& info, Span<float const> margins, RoundTree const& tree);

 private:
  void Compute(Context const& ctx, MetaInfo const& info, Span<float const> margins);

  LineSlopes slopes_;
  bool is_computed_ = false;
  std::vector<float> residuals_;  ///< [n_outputs, n_rows]
  std::vector<float> weights_;    ///< [n_rows], or empty
};

}  // namespace kauri
