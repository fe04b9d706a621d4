/// \file Split finding on entries that are sorted by node: the paper's sorting phase.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/exact/exact_types.h"

namespace kauri::cuda {

/// One chunk of features of one level. Device memory, not owning.
struct SplitTask {
  SegmentTable table;
  EntryArrays entries;
  std::int64_t n_entries = 0;
  GainParam param;
  NodeTotals const* nodes = nullptr;          ///< [n_nodes]
  std::uint8_t const* both_ways = nullptr;    ///< [n_features]
  std::int32_t const* feature_ids = nullptr;  ///< [n_features]: global ids, ascending
  std::uint8_t const* allowed = nullptr;      ///< [n_nodes, n_all_features]: column sampling; nullptr: all
  std::int32_t n_all_features = 0;
  double* floors = nullptr;  ///< [n_nodes], zero before the first chunk of a level; grows from chunk to chunk
};

/// Scratch of SplitTask: [NumTiles + NumSegments] pieces and [NumSegments] totals and candidates.
struct SplitScratch {
  FixedSum* piece_sums = nullptr;
  SegmentCandidate* piece_best = nullptr;
  FixedSum* segment_sums = nullptr;
  SegmentCandidate* segment_best = nullptr;
};

/// Improves best: [n_nodes] by the candidates of the chunk's features.
void FindSplits(CudaContext const& ctx, SplitTask const& task, SplitScratch const& scratch, SplitCandidate* best);

/// From the candidates of each segment, [n_features, stride] at node, to the best of each node. Shared by both phases.
void ReduceNodes(CudaContext const& ctx, SplitTask const& task, SegmentCandidate const* segment_best,
                 std::int32_t stride, SplitCandidate* best);

}  // namespace kauri::cuda
