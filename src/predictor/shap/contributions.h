/// \file Contributions of a row's features to its margin: exact (Shapley values) and approximate, for single features
/// and for pairs.
///
/// The last feature, number n_features, is the bias: the expected value of the trees plus the start of the margin. All
/// sums are float64 and rounded once to float32.
///
/// Sparse interactions: only the pairs of features that share a path of a tree, without the matrices.
///
/// A matrix of 784 features has 615,000 cells and 10 outputs have ten such matrices, 24.6 MB per row. But a tree can
/// fill only the cells of features on one path. The sums of shap_quadrature.h are already those pairs, sorted. They are
/// written unchanged, or the largest of each row are selected with a heap.
#pragma once

#include "predictor/forest/forest.h"
#include "predictor/shap/quadrature_levels.h"

namespace kauri {

/// Computes Shapley values by TreeShap. out: [n_rows, n_outputs, n_features + 1].
void TreeShapContributions(Context const& ctx, ForestTask const& task, Span<float> out);

/// Computes Shapley interaction values by TreeShap. out: [n_rows, n_outputs, n_features + 1, n_features + 1]. The
/// effect of a pair is split evenly between (a, b) and (b, a), with the same bits in both. The diagonal is the rest of
/// the feature's contribution, so rows sum to contributions.
void TreeShapInteractions(Context const& ctx, ForestTask const& task, Span<float> out);

/// Computes approximate contributions by Saabas' method: a split on the row's path gives its feature the change of the
/// node's expected value. out: [n_rows, n_outputs, n_features + 1].
void ApproxContributions(Context const& ctx, ForestTask const& task, Span<float> out);

/// Writes approximate contributions to the diagonal and no interactions, like XGBoost. out: [n_rows, n_outputs,
/// n_features + 1, n_features + 1].
void ApproxInteractions(Context const& ctx, ForestTask const& task, Span<float> out);

/// Computes sparse interactions under the contract of Predictor::PredictSparse; the bits are the same as in
/// QuadratureValues. Memory besides the result: the sums of a block of rows per thread, 8 bytes per pair and row.
void QuadratureSparseInteractions(Context const& ctx, ForestTask const& task, LazyQuadrature const& lazy,
                                  std::int64_t top_k, SparseInteractions* out);

}  // namespace kauri
