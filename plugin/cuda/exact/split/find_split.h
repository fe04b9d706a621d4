/// \file Split finding: the best split of every node, from entries that are sorted by node (the paper's sorting phase)
/// or interleaved (its first phase).
///
/// FindSplitsInterleaved finds splits in the interleaved phase, with the vocabulary of entries/interleaved.h.
///
/// 1. Multireduce: each lane adds up its sixteen entries by node in shared memory, then the warp adds up the lanes.
/// 2. A scan over the tiles of a feature gives the sums before every node piece.
/// 3. Multiscan: again by lane, started from these sums. Every first entry of its value within its node is a boundary,
///    with the left sum and the node's previous value at hand.
/// Entries do not move, so a level costs less than in the sorting phase. Shared memory and scans grow with the number
/// of nodes, so it pays at shallow levels only.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/exact/entries/exact_types.h"
#include "cuda/exact/entries/interleaved.h"
#include "tree/split_rules.h"

namespace kauri::cuda {

/// One chunk of features of one level. Device memory, not owning.
struct SplitTask {
  SegmentTable table;
  EntryArrays entries;
  std::int64_t n_entries = 0;
  GainParam param;
  Screen screen;
  NodeTotals const* nodes = nullptr;          ///< [n_nodes]
  std::uint8_t const* both_ways = nullptr;    ///< [n_features]
  std::int32_t const* feature_ids = nullptr;  ///< [n_features]: global ids, ascending
  std::uint8_t const* allowed = nullptr;  ///< [n_nodes, n_all_features]: the features that a node may use; nullptr: all
  std::int8_t const* signs = nullptr;     ///< [n_all_features]: monotone constraints; nullptr: none
  float const* costs = nullptr;           ///< [n_all_features]: costs for AddCost; nullptr: none
  std::int32_t n_all_features = 0;
  SplitLimits const* limits = nullptr;            ///< [n_nodes], without the nodes' rows; nullptr: none. Sorting phase
  unsigned long long const* node_rows = nullptr;  ///< [n_nodes], if there are limits
  /// [n_nodes]: a loss change that each node is known to reach; it grows as candidates are found.
  double* floors = nullptr;
  bool by_errors = false;  ///< the candidates of pieces include the "missing alone" splits
};

/// Scratch of SplitTask: [NumTiles + NumSegments] pieces and [NumSegments] totals and candidates.
struct SplitScratch {
  FixedSum* piece_sums = nullptr;  ///< in: the sum of every piece
  SegmentCandidate* piece_best = nullptr;
  FixedSum* segment_sums = nullptr;
  SegmentCandidate* segment_best = nullptr;
  std::uint32_t* listed = nullptr;    ///< [n_tiles]: tiles in which the exact formula is needed
  std::uint32_t* n_listed = nullptr;  ///< [1]
};

/// Sets piece_sums, which is zero before, to the sum of every piece. Costs one pass over the pairs.
void SumPieces(CudaContext const& ctx, SegmentTable const& table, FixedPair const* pairs, std::int64_t n_entries,
               FixedSum* piece_sums);

/// Improves best: [n_nodes] by the candidates of the chunk's features. Sorting phase.
void FindSplits(CudaContext const& ctx, SplitTask const& task, SplitScratch const& scratch, SplitCandidate* best);

/// Reduces the best of each piece to the best of each segment, with the splits "missing alone". Sorting phase.
void ReduceSegments(CudaContext const& ctx, SplitTask const& task, SplitScratch const& scratch);

/// Reduces the candidates of each segment, [n_features, stride] at node, to the best of each node. Shared by both
/// phases.
void ReduceNodes(CudaContext const& ctx, SplitTask const& task, SegmentCandidate const* segment_best,
                 std::int32_t stride, SplitCandidate* best);

/// Scratch of one chunk.
struct InterleavedScratch {
  std::uint8_t* node_of_entry = nullptr;     ///< [n_entries], kept until the rows have moved
  NodePiece* pieces = nullptr;               ///< [n_tiles, n_nodes]
  SegmentCandidate* piece_best = nullptr;    ///< [n_tiles, n_nodes]
  NodePiece* totals = nullptr;               ///< [n_features, n_nodes]
  float* smallest = nullptr;                 ///< [n_features, n_nodes]
  SegmentCandidate* segment_best = nullptr;  ///< [n_features, n_nodes]
};

/// Improves best: [n_nodes] by the candidates of the chunk's features. Only n_nodes of task.table is read.
void FindSplitsInterleaved(CudaContext const& ctx, SplitTask const& task, ColumnTiles const& tiles,
                           std::uint8_t const* node_of_row, InterleavedScratch const& scratch, SplitCandidate* best);

}  // namespace kauri::cuda
