/// \file A tree as a list of steps that compute each row's pattern at every leaf, one tile of rows at a time.
///
/// Vocabulary. The features of a path are numbered in the order in which the path first splits on them; this number is
/// the feature's position. The pattern of a row at a node has bit p set if the row satisfies all splits of the path on
/// the feature at position p (tree_paths.h merges them). A plane holds 32 bits of the patterns of all rows of a tile. A
/// buffer holds one plane; buffer 0 is all zeros.
///
///   1. Steps traverse the tree depth first. The edge into a child changes one bit, so it writes one plane, into the
///      buffer of its depth; the child shares the other planes of its parent's patterns.
///   2. Features above a split have the same positions at all leaves below it. So sums by position are added to the
///      feature only when the traversal leaves the first split on the feature.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "predictor/forest/forest.h"
#include "predictor/paths/path_feature.h"
#include "predictor/paths/tree_paths.h"

namespace kauri {

constexpr std::uint32_t kPlaneBits = 32;

struct PathStep {
  enum Kind : std::uint32_t {
    kEdge,  ///< buffer `to` = buffer `from`, with the bit of `position` set iff the row follows `feature`
    kLeaf,  ///< the row's pattern at leaf `leaf` is ready
    kClose  ///< no later leaf has the feature of slot `slot` at `position`
  };
  Kind kind;
  std::uint32_t position;
  std::uint32_t from;
  std::uint32_t to;
  std::uint32_t leaf;
  std::uint32_t slot;
  PathFeature feature;
};

struct PathLeaf {
  std::uint32_t n_features;
  std::uint32_t first_plane;    ///< its buffers are plane_buffers[first_plane ...], one per 32 features
  std::uint32_t first_feature;  ///< its merged splits by position are features[first_feature ...]
  float value;
};

struct PathProgram {
  std::vector<PathStep> steps;
  std::vector<PathLeaf> leaves;
  std::vector<std::uint32_t> plane_buffers;
  std::vector<PathFeature> features;
  std::uint32_t n_buffers = 1;
  std::uint32_t most_features = 0;  ///< maximum over the leaves
};

constexpr std::uint32_t NumPlanes(std::uint32_t n_features) { return (n_features + kPlaneBits - 1) / kPlaneBits; }

/// Compiles a tree. Time and memory: nodes * depth. Trees with categorical splits must be compiled one after the other.
PathProgram CompilePaths(Forest const& forest, std::int64_t tree, PathCategories* categories);

/// Compiles all trees of the range, on the threads of `ctx` unless the forest has categorical splits.
std::vector<PathProgram> CompilePaths(Context const& ctx, Forest const& forest, TreeRange trees,
                                      PathCategories* categories);

}  // namespace kauri
