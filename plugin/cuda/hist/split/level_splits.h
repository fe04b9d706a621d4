/// \file Finds the split that all nodes of a level share: tree/hist/level_search.h on the device, with the same bits.
///
/// 1. A warp handles a feature of a node. It adds up the bins from the left and writes the losses of their boundaries,
///    minus gamma, with the missing rows to the right and to the left. If there are many nodes, this is done for some
///    of them at a time. A boundary of a categorical feature is a category: all other categories go left.
/// 2. A thread handles a boundary and adds the losses of the nodes to its score, in their order.
/// 3. A warp handles a feature: it finds its best score, and its noise in all nodes.
/// 4. A warp handles a node: it finds the best of all features, and the part of the node that goes left there.
///
/// Bytes per boundary and node: 16 of the histogram, 16 of losses written and read again. Float64 operations: about 12
/// and two divisions, in each direction.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/hist/split/find_splits.h"
#include "kauri/gradient.h"
#include "kauri/span.h"
#include "tree/growth/split_search.h"

namespace kauri::cuda {

/// A node of the level.
struct ScoredNode {
  SearchedNode searched;
  FixedSum* histogram;  ///< [n_sums], followed by row counts if rows are counted; complete
  std::int64_t n_rows;  ///< used only if rows are counted
};

struct LevelSplitTask {
  FindTask find;  ///< settings of the search; its pairs, nodes and answers are unused
  Span<ScoredNode const> nodes;
  double gamma;
  std::uint32_t n_cuts;  ///< of all columns

  // Scratch.
  double* losses = nullptr;           ///< [n_at_once, 2, n_cuts]: with the missing rows on the right, and on the left
  double* scores = nullptr;           ///< [2, n_cuts]
  std::uint32_t* misses = nullptr;    ///< [n_tree_features]: whether the feature is missing in some row of a node
  LevelSplit* of_features = nullptr;  ///< [n_tree_features]

  // Answers, page-locked.
  LevelSplit* found = nullptr;  ///< invalid if no score is above kMinLossChange
  LeftSide* lefts = nullptr;    ///< [n_nodes], if `found` is valid
};

/// Memory that the split search keeps from level to level.
struct LevelMemory {
  Upload request;
  Buffer<double> losses;
  Buffer<double> scores;
  Buffer<std::uint32_t> misses;
  Buffer<LevelSplit> of_features;
  PinnedBuffer<LevelSplit> found;
  PinnedBuffer<LeftSide> lefts;
};

/// Finds the split of a level of at least one node. The answers are in *memory once the stream has been synchronised.
/// Sets the scratch and answers of its copy of the task. \throws Error(kMemory) with the amount that is needed.
void FindLevelSplit(CudaContext const& cuda, LevelSplitTask task, LevelMemory* memory);

}  // namespace kauri::cuda
