/// \file Everything that tree_method=gpu_hist keeps in device memory for one data set, from tree to tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/event.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/category_cells.h"
#include "cuda/hist/few_rows/grow_few_rows.h"
#include "cuda/hist/histogram/add_rows.h"
#include "cuda/hist/histogram/device_histograms.h"
#include "cuda/hist/levels/decide_level.h"
#include "cuda/hist/levels/level_rows.h"
#include "cuda/hist/shards/node_histograms.h"
#include "cuda/hist/shards/shard_rows.h"
#include "cuda/hist/shards/sum_shard.h"
#include "cuda/hist/split/find_splits.h"
#include "cuda/hist/split/level_splits.h"
#include "cuda/hist/tree_rows.h"
#include "tree/growth/hist_growth.h"
#include "tree/split_gain.h"

namespace kauri::cuda {

/// Request for a level, before it is sent to the device.
struct LevelRequest {
  std::vector<HistogramNode> histogram_nodes;
  std::vector<SearchedPair> pairs;
  std::vector<SearchedNode> searched;
  std::vector<ScoredNode> scored;  ///< the nodes of a level of symmetric trees, which share a split
  std::vector<std::uint8_t> allowed;
  std::vector<std::uint64_t> noise_keys;          ///< [n_searched] if there is noise
  std::vector<GrowingNode<ScalarGrowth>*> nodes;  ///< [n_searched]
  std::vector<WantedNode> wanted;                 ///< [n_pairs]: nodes whose rows are added up

  void Clear();
};

/// Requests and answers of the levels that the host decides. GpuHistGrower alone uses them.
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

/// Arrays that the deciding device needs for the levels of a tree (levels/level_rows.h) besides rows and codes.
/// LevelsFinder alone uses them: their contents are valid from its Find until the device has finished the tree.
struct TreeLevels {
  /// Maximum depth. A deeper tree has few of its possible nodes, and every possible node would take memory.
  static constexpr int kMostLevels = 12;

  explicit TreeLevels(int device) : numbered(device) {
    for (int depth = 0; depth < kMostLevels; ++depth) decided.emplace_back(device);
  }

  RowsByLevel rows;
  Upload of_tree;                 ///< features and histograms
  Buffer<PairTotals> totals;      ///< [n_trees]
  Buffer<SearchedNode> searched;  ///< see DecideTask for the contents of the arrays
  Buffer<SearchedPair> pairs;
  Buffer<SplitCandidate> best;
  Buffer<NodeDecision> decisions;
  PinnedBuffer<SplitCandidate> precomputed;
  Buffer<WalkNode> walk;       ///< written by NumberNodes
  std::vector<Event> decided;  ///< by level; other devices and the host wait for them
  /// Words by which devices signal each other (common/event.h): that a level is decided, that a device gave up,
  /// and, one word per shard, that its part of a level is added up.
  PinnedBuffer<std::uint32_t> signals;
  std::uint32_t turn = 0;  ///< number of the last level that was signalled; grows by one per level across trees
  Event numbered;          ///< `walk` is complete
  std::optional<std::size_t>
      room_for_round;  ///< bytes for trees that grow together; set when they are first considered
};

/// Bins and the workspace in which trees grow, one after the other. The builder's state owns it. Each member says who
/// uses it; a grower borrows the members that it uses for the time of its tree. The workspace is kept when the bins are
/// replaced.
struct HistOnDevice {
  HistOnDevice(CudaContext const& cuda, std::shared_ptr<DeviceBins const> made)
      : levels(cuda.device), level(cuda.device), rows(cuda.device) {
    TakeBins(cuda, std::move(made));
  }
  /// Takes new bins of the same number of rows for the following trees. The old bins may be gone already. Shards get
  /// their codes from RowState::Shard.
  void TakeBins(CudaContext const& cuda, std::shared_ptr<DeviceBins const> made);

  std::shared_ptr<DeviceBins const> bins;  ///< codes and cuts; set by TakeBins, null only while they are replaced
  TreeHistograms histograms;               ///< histograms of the current tree, of every grower but FewRowsGrower
  GrowthMemory<ScalarGrowth> growth;       ///< nodes of the current tree, on the host; of every grower
  FewRowsState few_rows;                   ///< buffers of FewRowsGrower
  TreeLevels levels;                       ///< buffers of LevelsFinder
  LevelBuffers level;                      ///< buffers of GpuHistGrower
  bool has_said_obstacle = false;  ///< the log already says why the host takes part in every level (GrowHistTree)
  RowState rows;  ///< rows of the current tree; of every grower. Declared last, because shards read the members above
};

}  // namespace kauri::cuda
