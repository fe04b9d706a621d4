/// \file Traversals from a node to a leaf, many at once. A step is a dependent chain of loads, so independent
/// traversals overlap.
///
/// Lower bound: rows * trees * depth steps of about ten instructions, on 8 bytes of node and 4 bytes of key each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kauri/data_matrix.h"
#include "predictor/forest/forest.h"

namespace kauri {

/// Number of rows, or of trees, that are traversed together.
constexpr std::int64_t kWalkLanes = 16;

/// Calls fn(reader, has_categorical) with the forest's reader and a std::bool_constant.
template <typename Fn>
void WithReader(Forest const& forest, Fn&& fn) {
  if (forest.is_wide) {
    forest.has_categorical ? fn(forest.Wide(), std::true_type{}) : fn(forest.Wide(), std::false_type{});
  } else {
    forest.has_categorical ? fn(forest.Narrow(), std::true_type{}) : fn(forest.Narrow(), std::false_type{});
  }
}

/// Returns the child that a row goes to. keys: the row's keys, kLanes apart.
template <bool kCategorical, std::int64_t kLanes, typename Reader>
std::uint32_t NextNode(Forest const& forest, Reader const& reader, std::uint32_t node, std::int32_t const* keys) {
  auto const split = reader.Read(node);
  auto const key = keys[split.slot * kLanes];
  if constexpr (kCategorical) return split.left + (GoesRight(split, key, forest.categories) ? 1U : 0U);
  return split.left + (GoesRightAtThreshold(split, key) ? 1U : 0U);
}

/// Takes up to `steps` steps with all lanes; stops early when no lane moves any more. next(lane, node) returns the node
/// after one step.
template <typename Next>
void WalkLanes(std::int32_t steps, std::uint32_t* nodes, Next&& next) {
  constexpr std::int32_t kStepsBetweenChecks = 4;
  while (steps > 0) {
    auto const taken = std::min(steps, kStepsBetweenChecks);
    for (std::int32_t step = 1; step < taken; ++step) {
      for (std::int64_t lane = 0; lane < kWalkLanes; ++lane) nodes[lane] = next(lane, nodes[lane]);
    }
    std::uint32_t moved = 0;
    for (std::int64_t lane = 0; lane < kWalkLanes; ++lane) {
      auto const node = next(lane, nodes[lane]);
      moved |= node ^ nodes[lane];
      nodes[lane] = node;
    }
    if (moved == 0) return;
    steps -= taken;
  }
}

/// Moves kWalkLanes rows through one tree. nodes (in, out): the rows' nodes; keys: [n_slots, kWalkLanes].
template <bool kCategorical, typename Reader>
void WalkRows(Forest const& forest, Reader const& reader, std::int64_t tree, std::int32_t steps,
              std::int32_t const* keys, std::uint32_t* nodes) {
  auto const from_tree = reader.From(forest.tree_begin[tree]);
  WalkLanes(steps, nodes, [&forest, from_tree, keys](std::int64_t lane, std::uint32_t node) {
    return NextNode<kCategorical, kWalkLanes>(forest, from_tree, node, keys + lane);
  });
}

/// Moves one row through kWalkLanes trees. nodes (in, out): the row's node in each tree; tree_begin: first nodes of the
/// trees.
template <bool kCategorical, typename Reader>
void WalkTrees(Forest const& forest, Reader const& reader, std::int64_t const* tree_begin, std::int32_t steps,
               std::int32_t const* keys, std::uint32_t* nodes) {
  WalkLanes(steps, nodes, [&](std::int64_t lane, std::uint32_t node) {
    return NextNode<kCategorical, 1>(forest, reader.From(tree_begin[lane]), node, keys);
  });
}

// Rows of any DataView as keys of a forest's slots, one tile of rows at a time.
//
// Keys are interleaved: [n_rows / lanes, n_slots, lanes], so that rows that are processed together are adjacent.

/// Reads the keys of rows [begin, end). Lanes of the last group without a row are left unchanged.
void ReadKeys(Forest const& forest, DataView const& rows, std::int64_t begin, std::int64_t end, std::int64_t lanes,
              std::int32_t* keys);

}  // namespace kauri
