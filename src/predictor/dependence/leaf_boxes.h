/// \file The leaves of a tree as boxes of cells (axes.h).
///
/// Vocabulary. A leaf's box in a feature is the set of the feature's cells that satisfy all splits of the leaf's path
/// on the feature; it is stored as runs of neighbouring cells, and the missing cell is one of them. The place of a
/// feature is its number among the kept features of a path, in the order in which the path first splits on them.
#pragma once

#include <cstdint>
#include <vector>

#include "predictor/dependence/axes.h"
#include "predictor/forest/forest.h"

namespace kauri {

/// The cells [begin, end).
struct CellRun {
  std::int32_t begin;
  std::int32_t end;
};

struct LeafBox {
  std::uint32_t slot;
  std::size_t first_run;
  std::size_t n_runs;
};

struct BoxedLeaf {
  std::uint32_t node;
  std::uint32_t n_boxes;
  std::size_t first_box;  ///< its boxes by place are boxes[first_box ...]
};

/// The boxes of a tree's leaves in the kept features.
struct TreeBoxes {
  std::int64_t tree = 0;
  std::vector<BoxedLeaf> leaves;
  std::vector<LeafBox> boxes;
  std::vector<CellRun> runs;
  std::vector<std::uint32_t> split_place;   ///< by node: 1 + place of the split's feature; 0 if it is not kept
  std::vector<std::uint32_t> leaf_of_node;  ///< by node, index into leaves
};

/// Finds the boxes. is_kept: by slot. Time: nodes * depth, and nodes * cells for categorical splits.
TreeBoxes BoxTree(Forest const& forest, std::vector<Axis> const& axes, std::vector<std::uint8_t> const& is_kept,
                  std::int64_t tree);

}  // namespace kauri
