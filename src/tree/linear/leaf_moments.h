/// \file Computes the sums from which the regressions in the leaves of a tree are solved: weighted sums over the rows
/// of each leaf.
///
/// Sums are float64. The rows of a leaf are divided, in order, into pieces of a fixed length. A piece is summed row by
/// row and the pieces of a leaf are added in order, so the result does not depend on the number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/gradient.h"
#include "kauri/span.h"

namespace kauri {

/// A leaf and the features of its regression.
struct RegressedLeaf {
  std::int32_t node = 0;
  std::vector<std::uint32_t> features;  ///< ascending
};

/// Moments of the rows that count: rows with a positive hessian and a finite value of each feature.
struct LeafMoments {
  std::int64_t n_rows = 0;
  bool is_whole = true;  ///< no row with gradients was left out
  FixedSum sum;
  std::vector<double> mean;      ///< [n_features], weighted by the hessian
  std::vector<double> products;  ///< sum of hessian * deviation * deviation, lower triangle row by row
  std::vector<double> slope;     ///< [n_features], sum of gradient * deviation
};

/// Returns the moments of each of `leaves`. Reads each row twice; memory: 4 bytes per row, and the products of all
/// pieces.
std::vector<LeafMoments> SumMoments(Context const& ctx, DataView const& rows, GradientView const& gradients,
                                    Span<std::int32_t const> leaf_of_row, std::vector<RegressedLeaf> const& leaves);

}  // namespace kauri
