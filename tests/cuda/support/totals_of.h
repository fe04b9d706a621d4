/// \file The totals of the gradients of a task in host memory.
#pragma once

#include "cuda/tree/tree_totals.h"

namespace kauri::testing {

/// Returns the totals. Gradients: FixedGradients or GradientView.
template <typename Gradients>
cuda::PairTotals TotalsOf(Gradients const& gradients) {
  cuda::PairTotals totals{gradients.unit, {}};
  for (auto const& pair : gradients.pairs) totals.sum += pair;
  return totals;
}

}  // namespace kauri::testing
