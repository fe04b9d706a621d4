/// \file The shares of a background that satisfy a leaf's path, save for up to two of its features.
///
/// For a leaf whose path has the kept features 0 to k - 1 (leaf_boxes.h), S is the share of the background that
/// satisfies all splits of the path, S_a the share that satisfies all splits on features other than a, and S_ab the
/// share that satisfies all splits on features other than a and b.
///
///   1. SharesOf: from the counts of the background's rows in the leaves (row_counter.h).
///   2. MultiplyShares: each feature has its own distribution, independent of the others, so a share is a product of
///      shares of cells.
#pragma once

#include <cstdint>
#include <vector>

#include "predictor/dependence/leaf_boxes.h"
#include "predictor/dependence/row_counter.h"

namespace kauri {

/// The shares of all leaves of a tree.
struct LeafShares {
  bool has_pairs = false;
  std::vector<std::size_t> begin;  ///< by leaf, index into values
  std::vector<double> values;      ///< by leaf: S, then S_a for each a, then S_ab for each a < b, by (a, b)

  double All(std::size_t leaf) const { return values[begin[leaf]]; }
  double Without(std::size_t leaf, std::size_t a) const { return values[begin[leaf] + 1 + a]; }
  /// a < b < k, the leaf's number of features.
  double Without(std::size_t leaf, std::size_t a, std::size_t b, std::size_t k) const {
    return values[begin[leaf] + 1 + k + a * (2 * k - a - 1) / 2 + (b - a - 1)];
  }
};

/// Returns the shares of a tree's leaves. counts: of the tree; total: the weight of all rows.
LeafShares SharesOf(TreeBoxes const& boxes, std::int64_t const* counts, double total, bool has_pairs);

/// cell_shares: by slot, the share of the background in each cell. All features of the forest must be kept.
LeafShares MultiplyShares(TreeBoxes const& boxes, std::vector<std::vector<double>> const& cell_shares, bool has_pairs);

}  // namespace kauri
