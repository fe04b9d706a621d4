/// \file Levels near the root whose rows stay in their order, with one byte for the node of each row.
///
/// A level that moves its rows to lists (rows/node_rows.h) gathers a sector of codes for each row twice: to move the
/// row and to add it up. While a level has few nodes, one sequential pass does both. A warp looks at the bytes of rows
/// side by side and collects the rows of its block's nodes; applies the split of a row's node and writes the row's new
/// byte; and adds the rows of the smaller children to the histograms of its block. The number in a byte is the node's
/// place in the complete tree. The byte of a row whose node is not split remains, and matches no node of later levels.
///
/// Shared memory holds the sums of up to three nodes of 256 codes, with pairs of gradient_bits. So the nodes of a level
/// are cut into sets. A set has as many blocks as its rows and the look at all bytes need; each looks at an equal range
/// of the rows. All blocks sweep over the rows in the same turns: a read fetches 64 bytes, and the rows of other sets
/// find their half of them in the second-level cache.
///
/// 10 M rows of 28 columns on an H200, microseconds of the levels below the root: 134, 136 and 170, where moving and
/// adding up through lists takes 197, 224 and 258. The list of the rows then takes 60. The next two levels would take
/// 287 and 367 for 287 and 301, since a third set or node leaves the first-level cache too little. Exact sums would
/// take 184, 234 and 271 for 229, 259 and 295, so they move their rows. Requests for codes ahead of their use (prefetch
/// to the second-level cache) made each set 50 slower.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/levels/level_rows.h"
#include "cuda/hist/rows/node_rows.h"
#include "cuda/tree/small_pair.h"

namespace kauri::cuda {

/// Depth of the last level whose rows may stay in place.
constexpr int kMostInPlace = 3;

/// Returns whether levels of these bins can be added up in place: their codes are rows of 16 or 32 bytes on the device.
bool CanAddInPlace(CudaContext const& cuda, DeviceBins const& bins);
/// Applies the splits of a level, and adds up the requested children. pairs: [n_rows], device.
void AddInPlace(CudaContext const& cuda, InPlaceTask const& task, SmallPair const* pairs);
/// Lists the rows of the nodes of `parents` that are split, for SplitNodes. listed: [nodes of the level], device, zero.
void ListRows(CudaContext const& cuda, InPlaceTask const& task, RowPointers const& lists, std::uint32_t* listed);

}  // namespace kauri::cuda
