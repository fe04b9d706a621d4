/// \file Requests and answers of the levels that the host decides (gpu_hist_grower.h); their memory is kept from tree
/// to tree.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/pinned_buffer.h"
#include "cuda/hist/category_cells.h"
#include "cuda/hist/histogram/add_rows.h"
#include "cuda/hist/shards/rank_sums.h"
#include "cuda/hist/shards/sum_shard.h"
#include "cuda/hist/split/find_splits.h"
#include "cuda/hist/split/level_splits.h"
#include "tree/growth/hist_growth.h"
#include "tree/split_gain.h"

namespace kauri::cuda {

/// Request for a level, before it is sent to the device.
struct LevelRequest {
  std::vector<HistogramNode> histogram_nodes;
  std::vector<SearchedPair> pairs;
  std::vector<SearchedNode> searched;
  std::vector<std::uint8_t> allowed;
  std::vector<std::uint64_t> noise_keys;          ///< [n_searched] if there is noise
  std::vector<GrowingNode<ScalarGrowth>*> nodes;  ///< [n_searched]
  std::vector<WantedNode> wanted;                 ///< [n_pairs]: nodes whose rows are added up

  void Clear();
};

/// GpuHistGrower and GpuSymmetricGrower alone use these.
struct LevelBuffers {
  explicit LevelBuffers(int device) : rank_sums(device) {}

  LevelRequest request;               ///< set by SendLevel; valid until the answers of the level are read
  Upload of_tree;                     ///< data that all nodes of a tree use; set by SendTree for the whole tree
  Upload of_level;                    ///< the request on the device
  Upload of_moves;                    ///< row moves of a level, if they are sent before the request (BeginSplits)
  Upload of_counts;                   ///< row counts over all devices and ranks, set by CountRows for one level
  PinnedBuffer<SplitCandidate> best;  ///< answers, valid once the stream has been synchronised for the level
  CategoryBuffers categories;         ///< buffers of CategoryCells
  LevelMemory shared_split;           ///< request, scratch and answers of a level of symmetric trees
  RankSums rank_sums;                 ///< scratch of the sums over ranks
};

}  // namespace kauri::cuda
