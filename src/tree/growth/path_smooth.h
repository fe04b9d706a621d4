/// \file path_smooth: pulls weights of nodes with few rows towards their parents' weights, by LightGBM's formula.
///
/// With m = n / path_smooth for a node of n rows,
///   weight = own weight * m / (m + 1) + parent's weight / (m + 1)
/// from the root, which keeps its weight, downwards. Rows are counted as for min_data_in_leaf (row_limit.h). Splits are
/// chosen without smoothing, whereas LightGBM's gains use smoothed weights.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/span.h"
#include "kauri/tree.h"

namespace kauri {

/// Smooths a finished tree whose base weights do not include the learning rate; leaf values are updated accordingly.
/// leaf_rate: factor from weights to values. sampled: [n_rows], or empty. leaf_of_row: [n_rows], rows of this rank.
/// Cost: a pass over the rows.
void SmoothPaths(Context const& ctx, float path_smooth, float leaf_rate, Span<std::uint8_t const> sampled,
                 Span<std::int32_t const> leaf_of_row, Tree* tree);

/// Does the same from known row counts. n_rows: [n_nodes], rows of the leaves; 0 for splits.
void SmoothPaths(float path_smooth, float leaf_rate, std::vector<std::int64_t> n_rows, Tree* tree);

}  // namespace kauri
