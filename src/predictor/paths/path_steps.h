/// \file The distinct features of a path, and the steps that turn splits on numbers into them, for host and device
/// (tree_paths.h).
///
/// The last part constructs a tree's edges from the root downwards, for host and device (tree_paths.h).
#pragma once

#include <cstdint>
#include <limits>

#include "kauri/host_device.h"
#include "predictor/forest/cover.h"
#include "predictor/forest/forest.h"

namespace kauri {

// One feature of a path through a tree: the values that follow the path at all splits on the feature.

/// The merged splits on one feature. A number follows the path iff its key lies in [lower, upper). If some of the
/// splits are categorical, `lower` is the number of a CategoryCondition instead. lower <= upper.
struct alignas(16) PathFeature {
  std::uint32_t slot_flags;  ///< slot << 2 | has_categories << 1 | takes_missing
  std::int32_t lower;
  std::int32_t upper;
  float zero_fraction;  ///< probability of following the path when the feature is unknown: a product of cover ratios

  KAURI_HD std::uint32_t Slot() const { return slot_flags >> 2U; }
  KAURI_HD bool HasCategories() const { return (slot_flags & 2U) != 0; }
  KAURI_HD bool TakesMissing() const { return (slot_flags & 1U) != 0; }
};

/// Condition for numbers with a key in [lower, upper): their category is in the set, or is not in it.
struct CategoryCondition {
  std::int32_t lower;
  std::int32_t upper;
  std::int32_t set;
  bool is_complement;
};

/// Not owning, so that it can also describe conditions in device memory.
struct CategoryConditionsView {
  CategoryCondition const* conditions;
  CategorySetsView sets;
};

/// Returns whether a row with this key follows the path at all splits on the feature, none of which is categorical.
KAURI_HD bool FollowsInterval(PathFeature const& feature, std::int32_t key) {
  auto const width = static_cast<std::uint32_t>(feature.upper) - static_cast<std::uint32_t>(feature.lower);
  auto const is_inside = static_cast<std::uint32_t>(key) - static_cast<std::uint32_t>(feature.lower) < width;
  return is_inside | ((key == kMissingKey) & feature.TakesMissing());  // branch-free, because lanes differ
}

/// Returns whether a row with this key follows the path at all splits on the feature, categorical or not.
KAURI_HD bool Follows(PathFeature const& feature, std::int32_t key, CategoryConditionsView const& categories) {
  if (!feature.HasCategories()) return FollowsInterval(feature, key);
  if (key == kMissingKey) return feature.TakesMissing();
  auto const condition = categories.conditions[feature.lower];
  return condition.lower <= key && key < condition.upper &&
         categories.sets.Contains(condition.set, ValueOfKey(key)) != condition.is_complement;
}

constexpr std::uint32_t kNoEdge = 0xFFFFFFFFU;
/// Maximum number of distinct features of a path in a warp; the root takes one more lane.
constexpr int kMostPathFeatures = 31;
/// A named constant, because device code cannot call std::numeric_limits.
constexpr std::int32_t kLowestKey = std::numeric_limits<std::int32_t>::min();

/// Returns the feature of a path without a split on it: every value follows.
KAURI_HD PathFeature WholeFeature(std::uint32_t slot) { return {(slot << 2U) | 1U, kLowestKey, kMissingKey, 1.0F}; }

/// Narrows [lower, upper) to the keys at or above the threshold, or to the keys below it. The result may be empty.
KAURI_HD void NarrowInterval(std::int32_t threshold, bool goes_right, std::int32_t* lower, std::int32_t* upper) {
  if (goes_right) {
    std::int32_t const most = threshold < *upper ? threshold : *upper;
    if (*lower < most) *lower = most;
  } else {
    std::int32_t const least = threshold > *lower ? threshold : *lower;
    if (least < *upper) *upper = least;
  }
}

/// Returns the key of the threshold of a split on a number.
KAURI_HD std::int32_t ThresholdKey(SplitNode const& split) { return split.key - (split.default_left ? 1 : 0); }

/// Merges a split on a number, followed to one of its children, into the earlier splits on the feature.
KAURI_HD PathFeature MergeNumber(PathFeature earlier, SplitNode const& split, bool goes_right) {
  if (goes_right == split.default_left) earlier.slot_flags &= ~1U;
  NarrowInterval(ThresholdKey(split), goes_right, &earlier.lower, &earlier.upper);
  return earlier;
}

/// Returns the lowest edge at or above the edge to `node` whose feature has the slot; kNoEdge: none. By edge: parent,
/// feature.
KAURI_HD std::uint32_t FindEarlier(std::uint32_t const* parent, PathFeature const* feature, std::uint32_t node,
                                   std::uint32_t slot) {
  for (std::uint32_t edge = node; edge != 0; edge = parent[edge]) {
    if (feature[edge].Slot() == slot) return edge;
  }
  return kNoEdge;
}

/// Calls fn like ForEachPathEdge, without heap memory, for a path of at most kMostPathFeatures distinct features. Time:
/// depth * number of repeated features. By edge: parent, earlier.
template <typename Fn>
KAURI_HD void ForEachShortPathEdge(std::uint32_t const* parent, std::uint32_t const* earlier, std::uint32_t node,
                                   Fn&& fn) {
  std::uint32_t merged[kMostPathFeatures];  // edges above that must be skipped
  int n_merged = 0;
  for (; node != 0; node = parent[node]) {
    int place = 0;
    while (place < n_merged && merged[place] != node) ++place;
    bool const is_last = place == n_merged;  // last edge of its feature
    if (is_last) fn(node);
    std::uint32_t const above = earlier[node];
    if (above != kNoEdge) {
      merged[place] = above;
      if (is_last) ++n_merged;
    } else if (!is_last) {
      merged[place] = merged[--n_merged];
    }
  }
}

/// Arrays by edge. An edge is named by the node that it leads to; the root's entries mean that no edge is above. Not
/// owning.
struct EdgesView {
  std::uint32_t* parent;
  std::uint32_t* earlier;  ///< edge above that was merged into this one, kNoEdge: none
  PathFeature* feature;
  double* zero_fraction;
  std::int32_t* n_features;  ///< distinct features on the path from the root

  KAURI_HD EdgesView From(std::int64_t first) const {
    return {parent + first, earlier + first, feature + first, zero_fraction + first, n_features + first};
  }
};

/// Adds the edges to both children of a split; the edges above must exist already. cover: by node. merge(above,
/// goes_right) returns the feature `above` narrowed by the split.
template <typename Merge>
KAURI_HD void AddChildEdges(EdgesView const& edges, float const* cover, SplitNode const& split, std::uint32_t node,
                            Merge&& merge) {
  std::uint32_t const earlier = FindEarlier(edges.parent, edges.feature, node, split.slot);
  bool const is_new = earlier == kNoEdge;
  PathFeature const above = is_new ? WholeFeature(split.slot) : edges.feature[earlier];
  for (std::uint32_t side = 0; side < 2; ++side) {
    std::uint32_t const child = split.left + side;
    double const ratio = CoverRatio(cover[node], cover[child]);
    double const share = is_new ? ratio : ratio * edges.zero_fraction[earlier];
    PathFeature feature = merge(above, side == 1);
    feature.zero_fraction = static_cast<float>(share);
    edges.parent[child] = node;
    edges.earlier[child] = earlier;
    edges.zero_fraction[child] = share;
    edges.n_features[child] = edges.n_features[node] + (is_new ? 1 : 0);
    edges.feature[child] = feature;
  }
}

}  // namespace kauri
