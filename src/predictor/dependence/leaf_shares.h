/// \file The shares of a background that satisfy a leaf's path, save for up to two of its features.
///
/// For a leaf whose path has the kept features 0 to k - 1 (leaf_boxes.h), S is the share of the background that
/// satisfies all splits of the path, S_a the share that satisfies all splits on features other than a, and S_ab the
/// share that satisfies all splits on features other than a and b.
///
///   1. CountShares: rows go down the tree in tiles. A row takes both sides of a split, and is dropped where it misses
///      the splits of a third feature (without pairs: of a second one; with splits on a feature that is not kept: at
///      once). It remembers the features that it misses. So a leaf of depth d is reached by the share of
///      1 + d + d (d - 1) / 2 in 2^d of the rows, and a tree of depth 6 costs 41 visits per row, 21 without pairs.
///   2. MultiplyShares: each feature has its own distribution, independent of the others, so a share is a product of
///      shares of cells.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/span.h"
#include "predictor/dependence/leaf_boxes.h"
#include "predictor/interventional/path_program.h"

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

/// Rows with weights. total: the sum of the weights, above 0.
struct WeightedRows {
  KeyTiles const& keys;
  Span<float const> weights;  ///< [n_rows], or empty: each row weighs 1
  double total;
};

LeafShares CountShares(Forest const& forest, TreeBoxes const& boxes, WeightedRows const& rows, bool has_pairs);

/// cell_shares: by slot, the share of the background in each cell. All features of the forest must be kept.
LeafShares MultiplyShares(TreeBoxes const& boxes, std::vector<std::vector<double>> const& cell_shares, bool has_pairs);

}  // namespace kauri
