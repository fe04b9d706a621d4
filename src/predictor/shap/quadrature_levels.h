/// \file Trees laid out for the contributions of a single row: vectors whose lanes are splits.
///
/// A walk (quadrature_kernel.h) wants 16 rows. For one row the splits of a level take their place: trees with the same
/// rule join in a batch, level by level, in the order of the parents, so that the lanes of a block find their parents
/// and their children within a few neighbouring vectors. The operations on a split, and the order in which its terms
/// are added, are those of the walk: the results have the same bits.
///
/// Floor: about 25 vector operations per point and 16 splits, and one dependent addition per split: 8 cycles per split
/// at 4 points. Measured on a Zen 5 (3.8 GHz): 3 ns per leaf, 11 cycles, where a walk of one row takes 15 ns.
#pragma once

#include <cstdint>
#include <vector>

#include "predictor/shap/quadrature_forest.h"

namespace kauri {

constexpr std::int64_t kLevelLanes = 16;

/// Bits of QuadratureBlock::flags.
constexpr std::int32_t kIsRight = 1;     ///< the right child of its parent
constexpr std::int32_t kLeftIsLeaf = 2;  ///< of a split that is no tip
constexpr std::int32_t kRightIsLeaf = 4;
constexpr std::int32_t kIsTip = 8;

/// Up to kLevelLanes splits of a level of the trees of a batch; lanes without one are tips of value 0.
struct alignas(64) QuadratureBlock {
  std::int32_t threshold[kLevelLanes];
  std::int32_t shift[kLevelLanes];  ///< default_left
  float edge_zero[kLevelLanes];     ///< of the edge into the split
  float edge_ratio[kLevelLanes];
  float zero[2][kLevelLanes];   ///< of a tip: mean, nothing
  float ratio[2][kLevelLanes];  ///< of a tip: cold_mean, nothing
  float effect[2][kLevelLanes];
  float leaf[2][kLevelLanes];
  float previous_effect[kLevelLanes];
  std::uint16_t slot[kLevelLanes];
  std::uint16_t previous[kLevelLanes];  ///< lane of the batch under the previous edge; its tree's root without one
  std::uint16_t parent[kLevelLanes];    ///< lane, from parent_begin on
  std::uint8_t child[2][kLevelLanes];   ///< lanes, from child_begin on
  std::uint8_t power[kLevelLanes];
  std::uint8_t flags[kLevelLanes];
  std::int32_t parent_begin;
  std::int32_t child_begin;
  bool is_root;
  bool has_tips;
  bool has_others;
  bool is_wide;  ///< parents are further apart than two vectors
};

struct QuadratureBatch {
  std::int32_t order = 0;  ///< of the rule
  std::int32_t points = 0;
  std::vector<QuadratureBlock> blocks;  ///< parents first
  std::vector<float> inverses;          ///< [blocks, points, kLevelLanes], of the previous edge; 1 without one
  std::int64_t term_begin = 0;          ///< the first of its terms in those of the forest
  TreeRange trees;                      ///< all its trees are among these
};

/// A term of a tree's sums, in the order in which they are added.
struct QuadratureTerm {
  std::uint32_t lane;     ///< of the forest; kFlushTerm: float32 sums move on
  std::uint32_t feature;  ///< of the tree
};
constexpr std::uint32_t kFlushTerm = ~std::uint32_t{0};

struct QuadratureLevels {
  std::vector<QuadratureBatch> batches;
  std::vector<std::vector<QuadratureTerm>> terms;  ///< per tree; empty: the tree is left to the walk
  std::int64_t n_lanes = 0;
};

/// Leaves out what the layout has no room for: categorical splits, more than 16 features on a path, huge trees.
QuadratureLevels CompileLevels(Forest const& forest, QuadratureForest const& compiled);

/// One row and one batch. Nothing is owned.
struct QuadratureLevelJob {
  QuadratureBatch const* batch = nullptr;
  QuadratureRule const* rule = nullptr;
  std::int32_t const* keys = nullptr;  ///< of the row, `stride` apart
  std::int32_t stride = 1;
  float* scratch = nullptr;  ///< [LevelScratch(batch)], aligned for vectors
  float* terms = nullptr;    ///< (out) [lanes of the batch]
};

/// What each split adds to its feature.
void ComputeTerms(QuadratureLevelJob const& job);

/// Floats of scratch memory; vectors are read past the last array.
inline std::size_t LevelScratch(QuadratureBatch const& batch) {
  auto const lanes = batch.blocks.size() * static_cast<std::size_t>(kLevelLanes);
  return (3 + 2 * static_cast<std::size_t>(batch.points)) * lanes + 2 * static_cast<std::size_t>(kLevelLanes);
}

}  // namespace kauri
