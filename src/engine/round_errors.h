/// \file Residuals and slopes of a round whose loss consists of two straight lines.
#pragma once

#include <vector>

#include "engine/line_slopes.h"
#include "kauri/context.h"
#include "kauri/engine.h"
#include "kauri/meta_info.h"
#include "kauri/objective.h"
#include "kauri/span.h"
#include "kauri/tree_builder.h"

namespace kauri {

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
