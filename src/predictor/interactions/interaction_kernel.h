/// \file Interactions of one tree and 8 rows, in vectors of doubles whose lanes are rows (set_interactions.h has the
/// formulas).
///
/// Lower bound, in vector operations on 8 rows: per split with d other features on its path and m = order, for each of
/// the sets of up to m - 1 of these 2 per point and 3, and for each of the sets of up to m - 2 of these 1 per point;
/// per edge about 7 per point. A full tree of depth 6 has at order 3, with 3 points, 765 sums of 9 operations, 1,000 of
/// longer products and 2,600 for edges: 10,000 operations, at two per cycle and 3 GHz 0.2 us per row and tree.
#pragma once

#include <hwy/aligned_allocator.h>

#include <cstdint>
#include <vector>

#include "predictor/interactions/interaction_forest.h"

namespace kauri {

/// Rows of a job: one of the widest vectors.
constexpr std::int64_t kInteractionRows = 8;

/// Reusable memory of a traversal, for one thread.
struct InteractionScratch {
  std::vector<std::int64_t> open;      ///< numbers of the open edges, by level
  std::vector<double const*> gains;    ///< gains in force of the other features
  std::vector<double const*> weights;  ///< by size of a set
  hwy::AlignedFreeUniquePtr<double[]> doubles;
  std::size_t n_doubles = 0;

  /// Grows the memory to the size that the tree needs.
  void Prepare(InteractionTree const& tree, std::int32_t points);
};

/// A tree and the rows to explain. Nothing is owned. The results of a row do not depend on the other rows.
struct InteractionJob {
  InteractionForest const* forest = nullptr;
  InteractionTree const* tree = nullptr;  ///< must have splits
  std::int32_t const* keys = nullptr;     ///< [n_slots, kInteractionRows]
  double scale = 1.0;                     ///< units of 1 (SetScales)
  std::int64_t* sums = nullptr;           ///< [n_sets, kInteractionRows], aligned; the tree's interactions are added
};

void AddInteractions(InteractionJob const& job, InteractionScratch* scratch);

}  // namespace kauri
