/// \file The split that all nodes of a level share: tree/hist/level_search.h on the device, with its bits.
///
/// 1. A warp takes a feature of a node. It adds up the bins from the left and writes the losses of their boundaries,
///    less gamma, with the missing rows to the right and to the left; of many nodes, some at a time. A boundary of a
///    categorical feature is a category: all others are left of it.
/// 2. A thread takes a boundary and adds the losses of the nodes to its score, in their order.
/// 3. A warp takes a feature: its best score, and its noise in all nodes.
/// 4. A warp takes a node: the best of all features, and what of the node goes left there.
/// Bytes per boundary and node: 16 of the histogram, 16 of losses written and read again. Float64 operations: about 12
/// and two divisions, in each direction.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/common/upload.h"
#include "cuda/hist/split/find_splits.h"
#include "kauri/gradient.h"
#include "kauri/span.h"
#include "tree/growth/level_split.h"

namespace kauri::cuda {

/// A node of the level.
struct ScoredNode {
  SearchedNode searched;
  FixedSum* histogram;  ///< [n_sums], and their counts where rows are counted; complete
  std::int64_t n_rows;  ///< read where they are counted
};

struct LevelSplitTask {
  FindTask find;  ///< what is asked of splits; its pairs, nodes and answers are unused
  Span<ScoredNode const> nodes;
  double gamma;
  std::uint32_t n_cuts;  ///< of all columns

  // Scratch.
  double* losses = nullptr;           ///< [n_at_once, 2, n_cuts]: with the missing rows right, and left
  double* scores = nullptr;           ///< [2, n_cuts]
  std::uint32_t* misses = nullptr;    ///< [n_tree_features]: whether some node misses values of the feature
  LevelSplit* of_features = nullptr;  ///< [n_tree_features]

  // Answers, page-locked.
  LevelSplit* found = nullptr;  ///< invalid where no score is above kMinLossChange
  LeftSide* lefts = nullptr;    ///< [n_nodes], where it is valid
};

/// What a search for the splits of levels keeps from level to level.
struct LevelMemory {
  Upload request;
  Buffer<double> losses;
  Buffer<double> scores;
  Buffer<std::uint32_t> misses;
  Buffer<LevelSplit> of_features;
  PinnedBuffer<LevelSplit> found;
  PinnedBuffer<LeftSide> lefts;
};

/// Finds it in a level of one node or more; the answers are in *memory once the stream has passed. Of the task it makes
/// scratch and answers. \throws Error(kMemory) with what is needed.
void FindLevelSplit(CudaContext const& cuda, LevelSplitTask task, LevelMemory* memory);

}  // namespace kauri::cuda
