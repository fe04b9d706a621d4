/// \file Linear leaves (Shi, Li & Li 2019, "Gradient boosting with piece-wise linear regression trees", section 3):
/// once a tree has grown, each leaf gets a ridge regression of the round's gradients on the features of its path.
///
/// Vocabulary. g and h: gradient and hessian of a row. X: the values of a leaf's features minus their means.
/// 1. A leaf's features are the numerical features on its path from the root. Rows with a value of all of them count.
/// 2. Means, and the sums X^T H X and X^T g, are taken over these rows (leaf_moments.h).
/// 3. slopes = -(X^T H X + linear_lambda I)^-1 X^T g, by Cholesky in float64. Columns that others determine get 0.
/// 4. At the means, the leaf predicts its usual constant from the rows that count, with the usual `lambda` and `alpha`.
/// 5. Both are multiplied by the learning rate. Other rows, and leaves with too few rows, have the constant of all
///    rows.
/// These are the leaves of LightGBM's linear_tree, except for XGBoost's `lambda`, which LightGBM does not apply there.
#pragma once

#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/span.h"
#include "kauri/tree.h"
#include "kauri/tree_builder.h"
#include "kauri/tree_param.h"

namespace kauri {

/// Sets the linear leaves of a tree grown from `task`. `data` must keep its values.
void FitLinearLeaves(Context const& ctx, DataMatrix const& data, TreeTask const& task, TreeParam const& param,
                     Span<std::int32_t const> leaf_of_row, Tree* tree);

}  // namespace kauri
