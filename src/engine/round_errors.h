/// \file What the errors of a round are made of where its loss is two straight lines.
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
  /// A round begins, of this objective.
  void Begin(Objective const& objective) {
    slopes_ = LineSlopes(objective);
    is_computed_ = false;
  }
  /// Its gradients come from elsewhere.
  void Forget() { slopes_ = LineSlopes(); }
  /// Of one tree; without residuals where the loss has other shapes. margins: [n_rows, n_outputs]. The residuals are
  /// those of the margins that the round began with: trees of one round do not see each other. Valid until the next.
  LineErrors Of(Context const& ctx, MetaInfo const& info, Span<float const> margins, RoundTree const& tree);

 private:
  void Compute(Context const& ctx, MetaInfo const& info, Span<float const> margins);

  LineSlopes slopes_;
  bool is_computed_ = false;
  std::vector<float> residuals_;  ///< [n_outputs, n_rows]
  std::vector<float> weights_;    ///< [n_rows], or empty
};

}  // namespace kauri
