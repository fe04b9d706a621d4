/// \file How a thread makes the rows of one node follow the decision about it (level_rows.h).
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/hist/levels/level_rows.h"

namespace kauri::cuda {

/// Returns where the rows of a node are, once the rows of its level have been moved. place: not a root's.
__device__ __forceinline__ RowStretch MovedRows(LevelRows const& rows, LevelPlace const& level, std::uint32_t place) {
  std::uint32_t const parent = level.ParentOf(place);
  NodeSplit const& split = rows.splits[parent];
  std::uint32_t const n_left = rows.n_left[2 * parent];
  return level.IsLeft(place) ? split.rows.Left(n_left) : split.rows.Right(n_left);
}

/// Begins the tree with this index, whose root has the rows `own`. histogram: receives their sum.
__device__ __forceinline__ void BeginRoot(LevelRows const& rows, std::uint32_t tree, RowStretch own,
                                          FixedSum* histogram) {
  rows.nodes[tree] = own;
  rows.added[tree] = {own, -1, 0, histogram};
}

/// index: place of the node in its level. histogram: receives the sum of the rows of one of its children.
__device__ __forceinline__ void FollowNode(LevelRows const& rows, LevelPlace const& level, std::uint32_t index,
                                           NodeDecision const& decision, FixedSum* histogram) {
  std::uint32_t const place = level.FirstNode() + index;
  RowStretch const own = level.depth == 0 ? rows.nodes[index] : MovedRows(rows, level, place);
  rows.nodes[place] = own;
  NodeSplit split{};
  split.rows = own;
  if (!decision.Opens()) split.rows.count = 0;
  split.first_tile = (own.begin - rows.first_row) / rows.plan.RowsOfTile() + index;
  split.categories = kNoCategories;
  if (decision.Opens()) {
    split.place = rows.places[decision.feature];
    split.n_bins = rows.features[decision.feature].n_bins;
    split.first_right = decision.first_right;
    split.default_left = decision.default_left;
  }
  rows.splits[place] = split;
  rows.n_left[2 * place] = 0;
  rows.n_left[2 * place + 1] = 0;
  rows.added[level.PairBelow(place)] = {split.rows, decision.Opens() ? static_cast<std::int32_t>(index) : -1,
                                        decision.adds_left, histogram};
}

}  // namespace kauri::cuda
