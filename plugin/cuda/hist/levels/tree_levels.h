/// \file Arrays that the deciding device needs for the levels of a tree (level_rows.h) besides rows and codes. Their
/// memory is kept from tree to tree. LevelsFinder alone uses them: their contents are valid from its Find until the
/// device has finished the tree.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/event.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/hist/levels/decide_level.h"
#include "cuda/hist/levels/rows_by_level.h"

namespace kauri::cuda {

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
  PinnedBuffer<SplitCandidate> found;
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

}  // namespace kauri::cuda
