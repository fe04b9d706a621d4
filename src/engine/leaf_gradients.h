/// \file Leaves whose values come from other gradients than those that their tree grew from.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/engine.h"
#include "kauri/gradient.h"
#include "kauri/span.h"
#include "kauri/tree.h"

namespace kauri {

/// Checks the sizes. \throws Error(kData) unless both kinds have one pair for every row and output.
void CheckSplitGradients(SplitGradients const& gradients, std::int64_t n_rows, std::int64_t n_outputs);

/// The rows drawn for a tree.
struct DrawnRows {
  std::vector<std::uint8_t> used;  ///< [n_rows], 1 = used; empty if all are used
  std::vector<double> chances;     ///< [n_rows]: divisors of the pairs of used rows; empty if there are none
};

/// The pairs that leaf values are computed from, and the leaves of the rows.
struct LeafSums {
  Span<GradientPair const> gradients;  ///< [n_rows, n_outputs]
  std::int64_t n_outputs;
  DrawnRows const& rows;
  Span<std::int32_t const> leaf_of_row;  ///< [n_rows]
};

/// Sets n_outputs values in every leaf: the weights of its sums, by split_gain.h without min_child_weight, times the
/// learning rate. Other node statistics are unchanged. Costs a table of [n_rows, n_outputs] integers.
/// \throws Error(kData) for a gradient or hessian that is not finite, naming the row.
void SetLeafValues(Context const& ctx, RoundTree const& round, LeafSums const& leaves, Tree* tree);

}  // namespace kauri
