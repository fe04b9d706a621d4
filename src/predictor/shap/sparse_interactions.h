/// \file Sparse interactions: only the pairs of features that share a path of a tree, without the matrices.
///
/// A matrix of 784 features has 615,000 cells and 10 outputs have ten such matrices, 24.6 MB per row. But a tree can
/// fill only the cells of features on one path. The sums of quadrature_sums.h are already those pairs, sorted. They are
/// written unchanged, or the largest of each row are selected with a heap.
#pragma once

#include "predictor/forest/forest_task.h"
#include "predictor/shap/lazy_quadrature.h"

namespace kauri {

/// Computes sparse interactions under the contract of Predictor::PredictSparse; the bits are the same as in
/// QuadratureValues. Memory besides the result: the sums of a block of rows per thread, 8 bytes per pair and row.
void QuadratureSparseInteractions(Context const& ctx, ForestTask const& task, LazyQuadrature const& lazy,
                                  std::int64_t top_k, SparseInteractions* out);

}  // namespace kauri
