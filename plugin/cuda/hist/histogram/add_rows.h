/// \file Histograms of the rows of several nodes at once: sums of gradient pairs by bin (data/bins/bin_matrix.h).
///
/// The rows of all nodes, laid end to end, are cut into equal ranges, one for each block of a group. A block adds the
/// rows of its range to sums in its shared memory, and adds the sums to the node's histogram whenever a node ends. The
/// fewer blocks a group has, the fewer sums are flushed, so the groups share the device's blocks.
///
/// Shared memory has a bank for each of the up to 32 code columns of a group, whatever the codes. The 32 lanes of a
/// warp handle 32 different columns at all times, so no two additions ever conflict. Additions of 64 bits to shared
/// memory are loops. A pair of 2 x 31 bits is therefore added as four limbs of 16 bits to four words of 32, which hold
/// the sums of 65,536 rows. The sums of the limbs give the sum of the pairs exactly.
///
/// Pairs of gradient_bits are added as they are, to two words instead of four, and read from two bytes, so that those
/// of all rows stay in the second-level cache.
///
/// Bytes per row and group: 4 for its number, 32 for its codes, 8 for its pair (a sector of 32 if rows are gathered).
/// Warp instructions per row and group of 32 columns: 4 additions, or 2 of small pairs, of about one cycle each on an
/// H200, and 5 others (shared_sums.cuh). 10 M rows of 28 columns take 207 us, and 128 with small pairs; their bytes
/// alone would need 95 and 80 us.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/histogram/row_records.h"
#include "cuda/hist/rows/node_rows.h"
#include "cuda/tree/small_pair.h"
#include "kauri/gradient.h"
#include "kauri/host_device.h"
#include "kauri/span.h"

namespace kauri::cuda {

/// A node whose histogram is requested.
struct HistogramNode {
  RowStretch rows;        ///< its own, or its parent's if `split` is not -1
  std::int32_t split;     ///< index of the split that made it, or -1
  std::uint32_t is_left;  ///< 1: it is the left child
  FixedSum* histogram;    ///< (in, out) [n_sums]
};

/// Returns the number of rows of the node itself. n_left: counts written by SplitNodes.
KAURI_HD std::uint32_t NumRowsOf(HistogramNode const& node, std::uint32_t const* n_left) {
  if (node.split < 0) return node.rows.count;
  std::uint32_t const left = n_left[2 * node.split];
  return node.is_left != 0 ? left : node.rows.count - left;
}

/// Rows of a node in the plan of a launch.
struct PlannedRows {
  std::uint32_t first_row;  ///< total rows of the nodes before it
  std::uint32_t begin;
  std::uint32_t count;
  std::int32_t buffer;
};

struct AddTask {
  Span<HistogramNode const> nodes;  ///< device
  Span<PlannedRows> plan = {};      ///< device; set by AddRows
  std::uint32_t const* n_left;      ///< counts written by SplitNodes
  RowPointers rows;
  FixedPair const* pairs;            ///< [n_rows]
  SmallPair const* small = nullptr;  ///< the same pairs in two bytes, which are read where they can; nullptr: none
  std::int64_t most_rows = 0;        ///< exact or approximate number of rows of all nodes
  RowRecord* records = nullptr;      ///< records of narrow rows, read in place of codes and pairs
  bool writes_records = false;       ///< the records are written, not read
  std::size_t first_sum = 0;         ///< offset in a histogram at which sums are added; row counts lie behind the sums
  /// If the nodes belong to several trees: the number of nodes per tree, and the distance between the pairs of
  /// consecutive trees. pairs_of_tree is 0 for one tree. Several trees have no records.
  std::uint32_t nodes_of_tree = 1;
  std::size_t pairs_of_tree = 0;

  /// Returns the pairs of the tree that a node belongs to.
  KAURI_HD FixedPair const* PairsOf(std::uint32_t node) const { return pairs + node / nodes_of_tree * pairs_of_tree; }
  KAURI_HD SmallPair const* SmallOf(std::uint32_t node) const { return small + node / nodes_of_tree * pairs_of_tree; }
  /// Sets the pairs and records. small_of_rows: the pairs in two bytes, if the tree has them. of_tree: the same rows as
  /// records, if the tree has any; the first call for a tree writes them. Small pairs need no records.
  void Take(FixedPair const* of_rows, SmallPair const* small_of_rows, RowRecords* of_tree) {
    pairs = of_rows;
    small = small_of_rows;
    if (small != nullptr) return;
    records = of_tree->Data();
    writes_records = of_tree->TakeTurn();
  }
};

/// Returns the number of blocks for each of n_groups groups to add n_rows rows.
unsigned BlocksForRows(CudaContext const& cuda, std::int64_t n_rows, std::int64_t n_groups);

/// Adds rows to the histograms of the nodes. plan: scratch.
void AddRows(CudaContext const& cuda, DeviceBins const& bins, AddTask const& task, Buffer<PlannedRows>* plan);

}  // namespace kauri::cuda
