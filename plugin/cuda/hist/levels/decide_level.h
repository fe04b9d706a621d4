/// \file Decides on the device which splits of a level are made, and what is requested of the next level
/// (level_rows.h).
///
/// One warp per node takes the best candidate of the feature blocks (split/find_splits.h) by the rules of the host,
/// which later makes the same tree from the same splits. Bytes per node: 64 for each feature block and about 300 more.
/// A launch takes about 4 us. It replaces a copy, a wait, the host's decisions and another copy: about 30 us in which
/// the device would be idle.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/levels/level_rows.h"
#include "cuda/hist/rows/walk_codes.h"
#include "cuda/hist/split/find_splits.h"
#include "kauri/gradient.h"
#include "tree/split_gain.h"

namespace kauri::cuda {

/// Pointers are device memory, except for `precomputed`.
struct DecideTask {
  GainParam gain;
  PairTotals* totals;  ///< [n_trees]: `gain` does not include their units yet
  float gamma;         ///< nodes with a smaller gain are not split
  LevelPlace below;    ///< the leaves below the last level that is searched
  float const* cut_values;
  FixedSum* const* histograms;  ///< [n_pairs], zero: sums of the node that is added up
  LevelRows rows;
  SearchedNode* searched;      ///< [n_nodes]
  SearchedPair* pairs;         ///< [n_pairs]; a pair that is not requested has no histogram
  SplitCandidate const* best;  ///< [n_nodes of the level, n_blocks]: candidates of the feature blocks
  std::uint32_t n_blocks;
  NodeDecision* decisions;      ///< (out) [n_nodes]
  SplitCandidate* precomputed;  ///< (out) [n_nodes], page-locked: the best split of each existing node
};

/// Begins new trees by setting their roots' rows. The first tree has `root`; each other tree has the same number of
/// rows, behind the one before it.
void BeginRoots(CudaContext const& cuda, DecideTask const& task, RowStretch root);
/// Sets the totals of the new trees and requests their roots. The totals of several trees lie side by side on the
/// device.
void BeginDecisions(CudaContext const& cuda, DecideTask const& task, TreeTotals const& totals);
/// Decides the level at this depth.
void DecideLevel(CudaContext const& cuda, DecideTask const& task, int depth);
/// Writes the finished trees, with nodes numbered as the host numbers them: level by level, children two by two in the
/// order of their parents. walk (out): [n_trees, NodesOfWalk]; unused places are leaves.
void NumberNodes(CudaContext const& cuda, DecideTask const& task, WalkNode* walk);

/// Returns the number of nodes of a complete tree.
KAURI_HD std::uint32_t NodesOfWalk(LevelPlace const& below) { return 2 * below.NodesOfTree() - 1; }

}  // namespace kauri::cuda
