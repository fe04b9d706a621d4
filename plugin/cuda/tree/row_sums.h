/// \file Counts of the rows of a tree's nodes, for path_smooth (tree/growth/tree_common.h) and the limits of exact
/// trees (tree/split_rules.h), and sums of squared gradients, which determine the noise of random_strength
/// (tree/gain_noise.h).
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "kauri/gradient.h"
#include "kauri/span.h"
#include "kauri/tree.h"
#include "tree/growth/tree_common.h"

namespace kauri::cuda {

/// Counts the rows of each node. n_rows (out): [n_nodes], device. node_of_row: [n_rows], device; below 0: in none of
/// the nodes. sampled: as below.
void CountRowsByNode(CudaContext const& cuda, Span<std::int32_t const> node_of_row, Span<std::uint8_t const> sampled,
                     Span<unsigned long long> n_rows);

/// Returns the rows of each node, [n_nodes]. leaf_of_row: [n_rows], device. sampled: [n_rows], device, 1 if a row
/// counts; empty: all rows count. Waits for the stream. Bytes per row: 4, and one more if rows are sampled.
std::vector<std::int64_t> CountLeafRows(CudaContext const& cuda, Tree const& tree, Span<std::uint8_t const> sampled,
                                        Span<std::int32_t const> leaf_of_row);

/// Returns the sum of squared gradients. pairs: device; zero in rows that are not sampled. Waits for the stream. Bytes
/// per row: 8.
SquareSum SquareRows(CudaContext const& cuda, Span<FixedPair const> pairs);

}  // namespace kauri::cuda
