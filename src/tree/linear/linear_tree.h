/// \file Linear leaves (Shi, Li & Li 2019, "Gradient boosting with piece-wise linear regression trees", section 3):
/// once a tree has grown, each leaf gets a ridge regression of the round's gradients on the features of its path.
///
/// Vocabulary. g and h: gradient and hessian of a row. X: the values of a leaf's features minus their means.
/// 1. A leaf's features are the numerical features on its path from the root. Rows with a value of all of them count.
/// 2. Means, and the sums X^T H X and X^T g, are taken over these rows (LeafMoments).
/// 3. slopes = -(X^T H X + linear_lambda I)^-1 X^T g, by Cholesky in float64. Columns that others determine get 0.
/// 4. At the means, the leaf predicts its usual constant from the rows that count, with the usual `lambda` and `alpha`.
/// 5. Both are multiplied by the learning rate. Other rows, and leaves with too few rows, have the constant of all
///    rows.
/// These are the leaves of LightGBM's linear_tree, except for XGBoost's `lambda`, which LightGBM does not apply there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/gradient.h"
#include "kauri/span.h"
#include "kauri/tree.h"
#include "kauri/tree_builder.h"
#include "kauri/tree_param.h"

namespace kauri {

/// Sets the linear leaves of a tree grown from `task`. `data` must keep its values.
void FitLinearLeaves(Context const& ctx, DataMatrix const& data, TreeTask const& task, TreeParam const& param,
                     Span<std::int32_t const> leaf_of_row, Tree* tree);

// Computes the sums from which the regressions in the leaves of a tree are solved: weighted sums over the rows
// of each leaf.
//
// Sums are float64. The rows of a leaf are divided, in order, into pieces of a fixed length. A piece is summed row by
// row and the pieces of a leaf are added in order, so the result does not depend on the number of threads.

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

// Rows of a data set, grouped by leaf, in pieces of bounded length.

/// Some rows of a leaf, as positions in RowsByLeaf.
struct LeafPiece {
  std::size_t leaf;
  std::int64_t begin;
  std::int64_t end;
};

class RowsByLeaf {
 public:
  /// n_rows: the number of rows that each leaf will have. Memory: 4 bytes per row.
  RowsByLeaf(Span<std::int64_t const> n_rows, std::int64_t rows_per_piece) {
    std::int64_t n_all = 0;
    for (std::size_t leaf = 0; leaf < n_rows.size(); ++leaf) {
      auto const end = n_all + n_rows[leaf];
      for (auto begin = n_all; begin < end; begin += rows_per_piece) {
        pieces_.push_back({leaf, begin, std::min(begin + rows_per_piece, end)});
      }
      next_.push_back(n_all);
      n_all = end;
    }
    rows_.resize(static_cast<std::size_t>(n_all));
  }

  /// Adds a row, whose number is below 2^32 as in every tree method. Each leaf gets its rows in ascending order.
  void Add(std::size_t leaf, std::int64_t row) {
    rows_[static_cast<std::size_t>(next_[leaf]++)] = static_cast<std::uint32_t>(row);
  }
  std::int64_t At(std::int64_t place) const { return std::int64_t{rows_[static_cast<std::size_t>(place)]}; }
  std::vector<LeafPiece> const& Pieces() const { return pieces_; }

 private:
  std::vector<std::uint32_t> rows_;
  std::vector<std::int64_t> next_;  ///< [n_leaves]: position of the leaf's next row
  std::vector<LeafPiece> pieces_;
};

}  // namespace kauri
