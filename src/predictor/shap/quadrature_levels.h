/// \file Trees laid out for the contributions of a single row: vectors whose lanes are splits.
///
/// A traversal (quadrature_kernel.h) needs 16 rows to fill its vectors. For one row, the splits of a level fill them
/// instead. Trees with the same rule are joined in a batch, level by level, in the order of the parents, so that the
/// lanes of a block find their parents and their children within a few neighbouring vectors. The operations on a split
/// and the order in which its terms are added are the same as in the traversal, so the results have the same bits.
///
/// Lower bound: about 25 vector operations per point and 16 splits, and one dependent addition per split: 8 cycles per
/// split at 4 points. Measured on a Zen 5 (3.8 GHz): 3 ns per leaf, 11 cycles, whereas a traversal of one row takes 15
/// ns.
///
/// LazyQuadrature is a forest compiled for quadrature, made on first use because most forests are never explained.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "kauri/context.h"
#include "predictor/shap/quadrature_forest.h"

namespace kauri {

constexpr std::int64_t kLevelLanes = 16;

/// Bits of QuadratureBlock::flags.
constexpr std::int32_t kIsRight = 1;     ///< the right child of its parent
constexpr std::int32_t kLeftIsLeaf = 2;  ///< only for splits that are not tips
constexpr std::int32_t kRightIsLeaf = 4;
constexpr std::int32_t kIsTip = 8;

/// Up to kLevelLanes splits of one level of a batch's trees. Unused lanes are tips of value 0.
struct alignas(64) QuadratureBlock {
  std::int32_t threshold[kLevelLanes];
  std::int32_t shift[kLevelLanes];  ///< default_left
  float edge_zero[kLevelLanes];     ///< zero of the edge into the split
  float edge_ratio[kLevelLanes];
  float zero[2][kLevelLanes];   ///< for a tip: {mean, unused}
  float ratio[2][kLevelLanes];  ///< for a tip: {cold_mean, unused}
  float effect[2][kLevelLanes];
  float leaf[2][kLevelLanes];
  float previous_effect[kLevelLanes];
  std::uint16_t slot[kLevelLanes];
  /// Lane in the batch of the split under the previous edge; the root of its tree if there is none.
  std::uint16_t previous[kLevelLanes];
  std::uint16_t parent[kLevelLanes];   ///< lane, minus parent_begin
  std::uint8_t child[2][kLevelLanes];  ///< lanes, minus child_begin
  std::uint8_t power[kLevelLanes];
  std::uint8_t flags[kLevelLanes];
  std::int32_t parent_begin;
  std::int32_t child_begin;
  bool is_root;
  bool has_tips;
  bool has_others;
  bool is_wide;  ///< parents span more than two vectors
};

struct QuadratureBatch {
  std::int32_t order = 0;  ///< order of the rule
  std::int32_t points = 0;
  std::vector<QuadratureBlock> blocks;  ///< parents first
  std::vector<float> inverses;  ///< [blocks, points, kLevelLanes], inverses of the previous edge; 1 if there is none
  std::int64_t term_begin = 0;  ///< index of its first term among the terms of the forest
  TreeRange trees;              ///< range that contains all its trees
};

/// A term of a tree's sums, in the order in which they are added.
struct QuadratureTerm {
  std::uint32_t lane;     ///< lane, numbered over the forest; kFlushTerm: the float32 sums are added to float64
  std::uint32_t feature;  ///< number of the feature within the tree
};
constexpr std::uint32_t kFlushTerm = ~std::uint32_t{0};

struct QuadratureLevels {
  std::vector<QuadratureBatch> batches;
  std::vector<std::vector<QuadratureTerm>> terms;  ///< by tree; empty: the tree must be traversed
  std::int64_t n_lanes = 0;
};

/// Lays out the trees that the layout supports. It excludes trees with categorical splits or more than 16 features on a
/// path, and huge trees.
QuadratureLevels CompileLevels(Forest const& forest, QuadratureForest const& compiled);

/// One row and one batch. Nothing is owned.
struct QuadratureLevelJob {
  QuadratureBatch const* batch = nullptr;
  QuadratureRule const* rule = nullptr;
  std::int32_t const* keys = nullptr;  ///< keys of the row, `stride` apart
  std::int32_t stride = 1;
  float* scratch = nullptr;  ///< [LevelScratch(batch)], aligned for vectors
  float* terms = nullptr;    ///< (out) [lanes of the batch]
};

/// Computes the term that each split adds to its feature.
void ComputeTerms(QuadratureLevelJob const& job);

/// Returns the floats of scratch memory for a batch, including padding, because vectors are read past the last array.
inline std::size_t LevelScratch(QuadratureBatch const& batch) {
  auto const lanes = batch.blocks.size() * static_cast<std::size_t>(kLevelLanes);
  return (3 + 2 * static_cast<std::size_t>(batch.points)) * lanes + 2 * static_cast<std::size_t>(kLevelLanes);
}

/// Cache of the compiled forms of one forest, which every call passes. Thread-safe.
class LazyQuadrature {
 public:
  std::shared_ptr<QuadratureForest const> Get(Context const& ctx, Forest const& forest, QuadratureGoal goal) const;
  /// Returns the levels, which do not support pairs.
  std::shared_ptr<QuadratureLevels const> Levels(Context const& ctx, Forest const& forest, Semivalue semivalue) const;

 private:
  struct Compiled {
    std::shared_ptr<QuadratureForest const> forest;
    std::shared_ptr<QuadratureLevels const> levels;
    bool has_pairs = false;
  };
  mutable std::mutex mutex_;
  mutable std::map<Semivalue, Compiled> compiled_;
};

}  // namespace kauri
