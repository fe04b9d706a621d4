/// \file Split finding in the interleaved phase, with the vocabulary of entries/interleaved.h.
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
#include "cuda/exact/entries/interleaved.h"
#include "cuda/exact/split/find_split.h"

namespace kauri::cuda {

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
