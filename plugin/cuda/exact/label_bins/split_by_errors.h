/// \file Split finding by label bins: the best split of every node, from entries sorted by node, with the results of
/// tree/exact/label_bin_scan.h.
#pragma once

#include "cuda/common/cuda_context.h"
#include "cuda/exact/label_bins/label_types.h"
#include "cuda/exact/label_bins/tile_sums.h"
#include "cuda/exact/split/find_split.h"

namespace kauri::cuda {

/// Improves best, [n_nodes], by the candidates of the chunk's features. The task must have limits, even if they allow
/// everything: the rows of a node show whether a segment lacks some.
/// 1. Sums before each piece within its segment, of pairs (entries/warp_pieces.cuh) and by label bin (tile_sums.h).
/// 2. A thread goes through a tile, piece by piece (piece_walk.h).
/// 3. Reductions from pieces to nodes, as with gains of gradients.
/// Costs, per entry, two reads of 40 bytes of the entry and its row; per tile 10 KB of sums.
void FindSplitsByErrors(CudaContext const& cuda, SplitTask const& task, LabelLevel const& labels,
                        SplitScratch const& scratch, TileSummer* tiles, SplitCandidate* best);

}  // namespace kauri::cuda
