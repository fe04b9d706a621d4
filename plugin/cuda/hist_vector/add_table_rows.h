/// \file Histograms of the rows of several nodes at once, for trees with vector leaves: sums of the rows of a gradient
/// table by cell (data/bins/bin_matrix.h), [n_cells, n_sums].
///
/// Vocabulary. A place is a column of the table: a gradient or a hessian of some output.
/// 1. The rows of all nodes, laid end to end (PlanRows), are cut into equal ranges.
/// 2. Codes in bytes: a block handles a range, a group of code columns and 1 to 8 places, depending on its shared
///    memory. It adds the rows to sums there, and adds the sums to the node's histogram whenever a node ends. Shared
///    memory has a bank for each code column, and two 32-bit words for a sum, which take the 16-bit limbs of the
///    integers, as in hist/histogram/add_rows.h. Blocks of one range run side by side, so that the second-level cache
///    serves all of them except one.
/// 3. Other codes: a warp handles a row, its lanes the sums that the row adds to, cell by cell, in the second-level
///    cache.
///
/// Floor. Memory, per row and group: 4 bytes for its number, `width` for its codes and 4 * stride for its integers, at
/// least a sector of 32. Second-level cache, with P places a block: (36 + max(32, 4 P)) * n_sums / P bytes. The limit
/// is additions to shared memory: 2 * n_sums warp instructions for 32 columns, of about 0.65 cycles each on an H200.
/// Other codes: an addition of 8 bytes in the cache for each code and place.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/rows/growing_rows.h"
#include "cuda/hist_vector/device_table.h"
#include "kauri/span.h"

namespace kauri::cuda {

/// A node whose histogram is requested.
struct SummedNode {
  NodeSource source;
  std::int64_t* sums;  ///< (in, out) [n_cells, n_sums]
};

/// Rows of a node among the rows of all nodes of a launch.
struct LaidRows {
  std::uint32_t first_row;  ///< total rows of the nodes before it
  std::uint32_t begin;
  std::uint32_t count;
  std::int32_t buffer;
};

struct SumTask {
  Span<SummedNode const> nodes;  ///< device
  Span<LaidRows> plan;           ///< [n_nodes], device, scratch
  std::uint32_t const* n_left;   ///< counts written by SplitNodes
  RowPointers lists;
  TableOnDevice table;
  std::int64_t most_rows = 0;  ///< number of rows of all nodes, or an upper bound
};

/// Adds the rows of the nodes to their histograms.
void AddTableRows(CudaContext const& cuda, DeviceBins const& bins, SumTask const& task);

/// Lays the rows of the nodes end to end: sets `plan`.
void PlanRows(CudaContext const& cuda, SumTask const& task);

}  // namespace kauri::cuda
