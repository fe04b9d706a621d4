/// \file Which splits of a level are made, and what the next level is asked for; decided on the device (level_rows.h).
///
/// A warp a node: the best of what the blocks of features found (split/find_splits.h), by the rules of the host, which
/// later makes the same tree of the same splits. Bytes per node: 64 for each block of features and some 300; a launch
/// of some 4 us, in place of a copy, a wait, the host's decisions and another copy: some 30 us in which the device has
/// nothing to do.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/levels/level_rows.h"
#include "cuda/hist/rows/walk_codes.h"
#include "cuda/hist/split/find_splits.h"
#include "kauri/gradient.h"
#include "tree/split_gain.h"

namespace kauri::cuda {

/// Device memory but for the numbers.
struct DecideTask {
  GainParam gain;
  PairTotals* totals;  ///< [n_trees]: their units are not in `gain` yet
  float gamma;         ///< nodes that gain less are not split
  LevelPlace below;    ///< the leaves of the last level that is searched
  float const* cut_values;
  FixedSum* const* histograms;  ///< [n_pairs], zero: of what is added up
  LevelRows rows;
  SearchedNode* searched;      ///< [n_nodes]
  SearchedPair* pairs;         ///< [n_pairs]; one that is not asked for has no histogram
  SplitCandidate const* best;  ///< [n_nodes of the level, n_blocks]: what was found
  std::uint32_t n_blocks;
  NodeDecision* decisions;  ///< (out) [n_nodes]
  SplitCandidate* found;    ///< (out) [n_nodes], page-locked: of those that are there their best
};

/// New trees: their roots' rows, of which the first tree has `root`, the next ones as many each behind it.
void BeginRoots(CudaContext const& cuda, DecideTask const& task, RowStretch root);
/// And what their pairs add up to; the totals of several trees lie side by side on the device.
void BeginDecisions(CudaContext const& cuda, DecideTask const& task, TreeTotals const& totals);
/// Of the level at this depth.
void DecideLevel(CudaContext const& cuda, DecideTask const& task, int depth);
/// The finished trees, their nodes numbered as the host numbers them: level by level, children two by two in the order
/// of their parents. walk (out): [n_trees, NodesOfWalk]; leaves where a tree has no more nodes.
void NumberNodes(CudaContext const& cuda, DecideTask const& task, WalkNode* walk);

/// Places for the nodes of a complete tree.
KAURI_HD std::uint32_t NodesOfWalk(LevelPlace const& below) { return 2 * below.NodesOfTree() - 1; }

}  // namespace kauri::cuda
