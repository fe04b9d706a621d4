/// \file Walks from a node to a leaf, many at once: a step is a dependent chain of loads, so independent ones overlap.
///
/// Floor: rows * trees * depth steps of about ten instructions on 8 bytes of node and 4 of key each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "predictor/forest/forest.h"

namespace kauri {

/// Rows, or trees, that are walked together.
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

/// keys: of the row, kLanes apart.
template <bool kCategorical, std::int64_t kLanes, typename Reader>
std::uint32_t NextNode(Forest const& forest, Reader const& reader, std::uint32_t node, std::int32_t const* keys) {
  auto const split = reader.Read(node);
  auto const key = keys[split.slot * kLanes];
  if constexpr (kCategorical) return split.left + (GoesRight(split, key, forest.categories) ? 1U : 0U);
  return split.left + (GoesRightAtThreshold(split, key) ? 1U : 0U);
}

/// Takes up to `steps` steps with all lanes; stops early when no lane moves any more. next(lane, node) is a step.
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

/// kWalkLanes rows through one tree. nodes (in, out): where they are; keys: [n_slots, kWalkLanes].
template <bool kCategorical, typename Reader>
void WalkRows(Forest const& forest, Reader const& reader, std::int64_t tree, std::int32_t steps,
              std::int32_t const* keys, std::uint32_t* nodes) {
  auto const from_tree = reader.From(forest.tree_begin[tree]);
  WalkLanes(steps, nodes, [&forest, from_tree, keys](std::int64_t lane, std::uint32_t node) {
    return NextNode<kCategorical, kWalkLanes>(forest, from_tree, node, keys + lane);
  });
}

/// One row through kWalkLanes trees: nodes (in, out) are where it is in each, tree_begin the trees' first nodes.
template <bool kCategorical, typename Reader>
void WalkTrees(Forest const& forest, Reader const& reader, std::int64_t const* tree_begin, std::int32_t steps,
               std::int32_t const* keys, std::uint32_t* nodes) {
  WalkLanes(steps, nodes, [&](std::int64_t lane, std::uint32_t node) {
    return NextNode<kCategorical, 1>(forest, reader.From(tree_begin[lane]), node, keys);
  });
}

}  // namespace kauri
