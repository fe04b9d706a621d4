/// \file path_smooth: weights of nodes with few rows are drawn towards those of their parents, by LightGBM's formula.
///
/// With m = n / path_smooth for a node of n rows,
///   weight = own weight * m / (m + 1) + parent's weight / (m + 1)
/// from the root, whose weight is its own, down. Rows are counted as for min_data_in_leaf (row_limit.h). Splits are
/// chosen as without it, where LightGBM's gains are those of smoothed weights.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/span.h"
#include "kauri/tree.h"

namespace kauri {

/// Of a finished tree whose base weights are those before the learning rate; leaves get the values that go with them.
/// leaf_rate: from weights to values. sampled: [n_rows], or empty. leaf_of_row: [n_rows], of this rank. Cost: a pass
/// over the rows.
void SmoothPaths(Context const& ctx, float path_smooth, float leaf_rate, Span<std::uint8_t const> sampled,
                 Span<std::int32_t const> leaf_of_row, Tree* tree);

/// The same where the rows were counted already. n_rows: [n_nodes], of the leaves; splits have 0.
void SmoothPaths(float path_smooth, float leaf_rate, std::vector<std::int64_t> n_rows, Tree* tree);

}  // namespace kauri
