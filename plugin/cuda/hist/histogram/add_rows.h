/// \file Histograms of the rows of several nodes at once: sums of pairs by cell (data/bins/bin_matrix.h).
///
/// The rows of all nodes, laid end to end, are cut into as many equal ranges as there are blocks for each group. A
/// block adds the rows of its range to sums in its shared memory, and those to the node's histogram whenever the node
/// ends: the fewer blocks a group has, the fewer sums are flushed, so the groups share the device's blocks.
///
/// Shared memory has a bank for each of the up to 32 code columns of a group, whatever the codes: the 32 lanes of a
/// warp are at 32 different columns at all times, so no two additions ever meet. Additions of 64 bits to shared memory
/// are loops; a pair of 2 x 31 bits is therefore added as four limbs of 16 bits to four words of 32, which hold the
/// sums of 65,536 rows. The sums of the limbs make the sum of the pairs, exactly.
///
/// Bytes per row and group: 4 for its number, 32 for its codes, 8 for its pair (a sector of 32 where rows are
/// gathered). Warp instructions per row and group of 32 columns: 4 additions, of about two cycles each on an H200:
/// 10 M rows take 280 us, 100 of which their bytes would need.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/histogram/row_records.h"
#include "cuda/hist/rows/node_rows.h"
#include "kauri/gradient.h"
#include "kauri/host_device.h"
#include "kauri/span.h"

namespace kauri::cuda {

/// A node whose histogram is wanted.
struct HistogramNode {
  RowStretch rows;        ///< its own, or its parent's where `split` is there
  std::int32_t split;     ///< which of the splits made it, or -1
  std::uint32_t is_left;  ///< which child it is
  FixedSum* histogram;    ///< (in, out) [n_sums]
};

/// Rows of the node itself. n_left: what SplitNodes wrote.
KAURI_HD std::uint32_t NumRowsOf(HistogramNode const& node, std::uint32_t const* n_left) {
  if (node.split < 0) return node.rows.count;
  std::uint32_t const left = n_left[2 * node.split];
  return node.is_left != 0 ? left : node.rows.count - left;
}

/// Rows of a node in the plan of a launch.
struct PlannedRows {
  std::uint32_t first_row;  ///< rows of the nodes before it
  std::uint32_t begin;
  std::uint32_t count;
  std::int32_t buffer;
};

struct AddTask {
  Span<HistogramNode const> nodes;  ///< device
  Span<PlannedRows> plan = {};      ///< device; left to AddRows
  std::uint32_t const* n_left;      ///< what SplitNodes wrote
  RowPointers rows;
  FixedPair const* pairs;        ///< [n_rows]
  std::int64_t most_rows = 0;    ///< that the nodes have together, or a guess
  RowRecord* records = nullptr;  ///< of narrow rows, read in place of codes and pairs
  bool writes_records = false;   ///< they are written instead
  std::size_t first_sum = 0;     ///< of a histogram, where sums are added: their counts lie behind them
  /// Where nodes are of several trees: so many nodes of each, and from the pairs of one tree to those of the next, or
  /// 0. Without records.
  std::uint32_t nodes_of_tree = 1;
  std::size_t pairs_of_tree = 0;

  /// The pairs of the tree that a node is of.
  KAURI_HD FixedPair const* PairsOf(std::uint32_t node) const { return pairs + node / nodes_of_tree * pairs_of_tree; }
  /// of_tree: which hold the same, where the tree has any; the first to take them writes them.
  void Take(FixedPair const* of_rows, RowRecords* of_tree) {
    pairs = of_rows;
    records = of_tree->Data();
    writes_records = of_tree->TakeTurn();
  }
};

/// Blocks that add so many rows, of each of n_groups groups.
unsigned BlocksForRows(CudaContext const& cuda, std::int64_t n_rows, std::int64_t n_groups);

/// Adds to the histograms of the nodes. plan: scratch.
void AddRows(CudaContext const& cuda, DeviceBins const& bins, AddTask const& task, Buffer<PlannedRows>* plan);

}  // namespace kauri::cuda
