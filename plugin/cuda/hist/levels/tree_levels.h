/// \file What the device that decides needs for the levels of a tree (level_rows.h) besides its rows and codes, kept
/// from tree to tree.
#pragma once

#include "cuda/common/buffer.h"
#include "cuda/common/event.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/common/upload.h"
#include "cuda/hist/levels/decide_level.h"
#include "cuda/hist/levels/rows_by_level.h"

namespace kauri::cuda {

struct TreeLevels {
  explicit TreeLevels(int device) : decided(device), answered(device) {}

  RowsByLevel rows;
  Upload of_tree;                 ///< features and histograms
  Buffer<SearchedNode> searched;  ///< DecideTask has what the arrays hold
  Buffer<SearchedPair> pairs;
  Buffer<SplitCandidate> best;
  Buffer<NodeDecision> decisions;
  Buffer<SplitCandidate> found;
  Buffer<WalkNode> walk;                ///< of NumberNodes
  PinnedBuffer<SplitCandidate> answer;  ///< of `found`
  Event decided;                        ///< of a level, for other devices
  Event answered;
};

}  // namespace kauri::cuda
