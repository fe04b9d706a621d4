/// \file Histograms of the rows of several nodes at once, for trees with vector leaves: sums of the rows of a gradient
/// table by cell (data/bins/bin_matrix.h), [n_cells, n_sums].
///
/// Vocabulary. A place is a column of the table: a gradient or a hessian of some output.
/// 1. The rows of all nodes, laid end to end (plan_rows.h), are cut into equal ranges.
/// 2. Codes in bytes: a block takes a range, a group of code columns and as many places, 1 to 8, as its shared memory
///    has sums for; it adds the rows to those, and them to the node's histogram whenever the node ends. Shared memory
///    has a bank for each code column, and two words of 32 bits for a sum, for the limbs of 16 bits of the integers, as
///    hist/histogram/add_rows.h says. Blocks of one range run side by side, so that the second-level cache answers
///    all of them but one.
/// 3. Other codes: a warp takes a row, its lanes the sums that the row adds to, cell by cell, in the second-level
/// cache.
///
/// Floor. Memory, per row and group: 4 bytes for its number, `width` for its codes and 4 * stride for its integers, a
/// sector of 32 at least. Second-level cache, with P places a block: (36 + max(32, 4 P)) * n_sums / P bytes.
/// Additions to shared memory, which bound it: 2 * n_sums warp instructions for 32 columns, of about 0.65 cycles each
/// on an H200. Other codes: an addition of 8 bytes in the cache for each code and place.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/rows/growing_rows.h"
#include "cuda/hist_vector/device_table.h"
#include "kauri/span.h"

namespace kauri::cuda {

/// A node whose histogram is wanted.
struct SummedNode {
  NodeSource source;
  std::int64_t* sums;  ///< (in, out) [n_cells, n_sums]
};

/// Rows of a node among those of all nodes of a launch.
struct LaidRows {
  std::uint32_t first_row;  ///< rows of the nodes before it
  std::uint32_t begin;
  std::uint32_t count;
  std::int32_t buffer;
};

struct SumTask {
  Span<SummedNode const> nodes;  ///< device
  Span<LaidRows> plan;           ///< [n_nodes], device, scratch
  std::uint32_t const* n_left;   ///< what SplitNodes wrote
  RowPointers lists;
  TableOnDevice table;
  std::int64_t most_rows = 0;  ///< that the nodes have together, or a bound
};

/// Adds the rows of the nodes to their histograms.
void AddTableRows(CudaContext const& cuda, DeviceBins const& bins, SumTask const& task);

}  // namespace kauri::cuda
