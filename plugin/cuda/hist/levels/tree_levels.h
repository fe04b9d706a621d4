/// \file What the device that decides needs for the levels of a tree (level_rows.h) besides its rows and codes, kept
/// from tree to tree.
#pragma once

#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/event.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/common/upload.h"
#include "cuda/hist/levels/decide_level.h"
#include "cuda/hist/levels/rows_by_level.h"

namespace kauri::cuda {

struct TreeLevels {
  /// A deeper tree has few nodes of those that it might have, and all of them would be given a place.
  static constexpr int kMostLevels = 12;

  explicit TreeLevels(int device) : numbered(device) {
    for (int depth = 0; depth < kMostLevels; ++depth) decided.emplace_back(device);
  }

  RowsByLevel rows;
  Upload of_tree;                 ///< features and histograms
  Buffer<PairTotals> totals;      ///< of each tree
  Buffer<SearchedNode> searched;  ///< DecideTask has what the arrays hold
  Buffer<SearchedPair> pairs;
  Buffer<SplitCandidate> best;
  Buffer<NodeDecision> decisions;
  PinnedBuffer<SplitCandidate> found;
  Buffer<WalkNode> walk;       ///< of NumberNodes
  std::vector<Event> decided;  ///< by level: for other devices, and for the host
  /// Where devices signal each other (common/far_signal.h): that a level is decided, that one gave up, and the shares'
  /// words, that their part of a level is added up.
  PinnedBuffer<std::uint32_t> signals;
  std::uint32_t turn = 0;  ///< of the last level that was signalled: one more for each, whatever the tree
  Event numbered;          ///< `walk` is there
};

}  // namespace kauri::cuda
