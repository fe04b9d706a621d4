/// \file The slopes of a loss that is two straight lines, by output, and whether a tree is chosen by its errors.
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
  /// Of a loss of other shapes.
  LineSlopes() = default;
  explicit LineSlopes(Objective const& objective);
  /// Whether the loss has other shapes.
  bool IsEmpty() const { return alphas_.empty(); }
  /// residuals, weights: as LineErrors has them, of this output. Not when empty.
  LineErrors ErrorsOf(Span<float const> residuals, Span<float const> weights, std::int64_t output) const;

 private:
  std::vector<double> alphas_;  ///< by output, 1/2 of absolute errors; one for all of these; empty: no such loss
  bool is_absolute_ = false;
};

/// Whether split_criterion=absolute_error is asked for.
bool ReducesErrors(RoundTree const& tree);

}  // namespace kauri
