/// \file How many rows the nodes of a tree have, for path_smooth (tree/growth/path_smooth.h) and the limits of exact
/// trees (tree/row_limit.h).
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "kauri/span.h"
#include "kauri/tree.h"

namespace kauri::cuda {

/// n_rows (out): [n_nodes], device. node_of_row: [n_rows], device; below 0: of none of the nodes. sampled: as below.
void CountRowsByNode(CudaContext const& cuda, Span<std::int32_t const> node_of_row, Span<std::uint8_t const> sampled,
                     Span<unsigned long long> n_rows);

/// [n_nodes]. leaf_of_row: [n_rows], device. sampled: [n_rows], device, 1 where a row counts; empty: all do. Waits for
/// the stream. Bytes per row: 4, one more where rows are sampled.
std::vector<std::int64_t> CountLeafRows(CudaContext const& cuda, Tree const& tree, Span<std::uint8_t const> sampled,
                                        Span<std::int32_t const> leaf_of_row);

}  // namespace kauri::cuda
