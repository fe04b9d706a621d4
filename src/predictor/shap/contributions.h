/// \file Contributions of a row's features to its margin: exact (Shapley values) and approximate, for single features
/// and for pairs.
///
/// The last feature, number n_features, is the bias: the expected value of the trees plus the start of the margin. All
/// sums are float64 and rounded once to float32.
#pragma once

#include "predictor/forest/forest_task.h"

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

}  // namespace kauri
