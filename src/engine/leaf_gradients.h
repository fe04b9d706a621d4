/// \file Leaves whose values follow from other gradients than those that their tree grew on.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/engine.h"
#include "kauri/gradient.h"
#include "kauri/span.h"
#include "kauri/tree.h"

namespace kauri {

/// \throws Error(kData) unless there is one pair for every row and output of both kinds.
void CheckSplitGradients(SplitGradients const& gradients, std::int64_t n_rows, std::int64_t n_outputs);

/// Rows drawn for a tree.
struct DrawnRows {
  std::vector<std::uint8_t> used;  ///< [n_rows], 1 = used; empty: all are
  std::vector<double> chances;     ///< [n_rows]: what pairs of rows used are divided by; empty: nothing
};

/// The pairs of a leaf's values, and where they are summed.
struct LeafSums {
  Span<GradientPair const> gradients;  ///< [n_rows, n_outputs]
  std::int64_t n_outputs;
  DrawnRows const& rows;
  Span<std::int32_t const> leaf_of_row;  ///< [n_rows]
};

/// Every leaf gets n_outputs values: the weights of its sums, by split_gain.h without min_child_weight, times the
/// learning rate. What else is known of nodes stays. Costs a table of [n_rows, n_outputs] integers.
/// \throws Error(kData) for a gradient or hessian that is not finite, naming the row.
void SetLeafValues(Context const& ctx, RoundTree const& round, LeafSums const& leaves, Tree* tree);

}  // namespace kauri
