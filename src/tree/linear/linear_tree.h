/// \file Linear leaves (Shi, Li & Li 2019, "Gradient boosting with piece-wise linear regression trees", section 3):
/// once a tree has grown, each leaf gets a ridge regression of the round's gradients on the features of its path.
///
/// Vocabulary. g and h: gradient and hessian of a row. X: the values of a leaf's features, less their means.
/// 1. A leaf's features are the numerical ones on its path from the root; the rows that count have all of them.
/// 2. Means, and the sums X^T H X and X^T g, are taken over these rows (leaf_moments.h).
/// 3. slopes = -(X^T H X + linear_lambda I)^-1 X^T g, by Cholesky in float64; columns that others determine get 0.
/// 4. At the means the leaf predicts its constant as always, of the rows that count: `lambda` and `alpha` are its own.
/// 5. Both times the learning rate. Other rows, and leaves with too few rows, have the constant of all rows.
/// XGBoost's `lambda` apart, which LightGBM does not count there, these are the leaves of LightGBM's linear_tree.
#pragma once

#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/span.h"
#include "kauri/tree.h"
#include "kauri/tree_builder.h"
#include "kauri/tree_param.h"

namespace kauri {

/// \throws Error(kParameter) for what linear leaves do not go with.
void RequireLinearTree(TreeParam const& param);

/// A tree that has grown from `task`; sets its linear leaves. \throws Error(kData) unless the values of `data` are
/// kept.
void FitLinearLeaves(Context const& ctx, DataMatrix const& data, TreeTask const& task, TreeParam const& param,
                     Span<std::int32_t const> leaf_of_row, Tree* tree);

}  // namespace kauri
