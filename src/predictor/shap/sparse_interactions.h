/// \file Interactions without the matrices: only the pairs of features that share a path of a tree.
///
/// A matrix of 784 features has 615,000 cells and 10 outputs have ten of them, 24.6 MB a row, but a tree can fill only
/// the cells of features that stand on one path. The sums of quadrature_sums.h are those of such pairs already, sorted;
/// they are written out as they are, or the largest of each row are kept in a heap.
#pragma once

#include "predictor/forest/forest_task.h"
#include "predictor/shap/lazy_quadrature.h"

namespace kauri {

/// The contract is Predictor::PredictSparse's; the bits are those of QuadratureValues. Memory beside the result:
/// the sums of a block of rows of each thread, 8 bytes a pair and row.
void QuadratureSparseInteractions(Context const& ctx, ForestTask const& task, LazyQuadrature const& lazy,
                                  std::int64_t top_k, SparseInteractions* out);

}  // namespace kauri
