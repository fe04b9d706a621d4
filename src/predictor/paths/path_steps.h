/// \file The steps from splits on numbers to the distinct features of a path, for both sides (tree_paths.h).
#pragma once

#include <cstdint>
#include <limits>

#include "kauri/host_device.h"
#include "predictor/forest/forest.h"
#include "predictor/paths/path_feature.h"

namespace kauri {

constexpr std::uint32_t kNoEdge = 0xFFFFFFFFU;
/// Of a path that a warp holds, beside its root.
constexpr int kMostPathFeatures = 31;
/// A named constant, as device code may not call what makes it.
constexpr std::int32_t kLowestKey = std::numeric_limits<std::int32_t>::min();

/// What follows a path before any split on the feature: everything.
KAURI_HD PathFeature WholeFeature(std::uint32_t slot) { return {(slot << 2U) | 1U, kLowestKey, kMissingKey, 1.0F}; }

/// Leaves of [lower, upper) what is at or above the threshold, or what is below it; maybe nothing.
KAURI_HD void NarrowInterval(std::int32_t threshold, bool goes_right, std::int32_t* lower, std::int32_t* upper) {
  if (goes_right) {
    std::int32_t const most = threshold < *upper ? threshold : *upper;
    if (*lower < most) *lower = most;
  } else {
    std::int32_t const least = threshold > *lower ? threshold : *lower;
    if (least < *upper) *upper = least;
  }
}

/// The threshold's key of a split on a number.
KAURI_HD std::int32_t ThresholdKey(SplitNode const& split) { return split.key - (split.default_left ? 1 : 0); }

/// Merges a split on a number, on the way to one of its children, into what its feature lets through further up.
KAURI_HD PathFeature MergeNumber(PathFeature earlier, SplitNode const& split, bool goes_right) {
  if (goes_right == split.default_left) earlier.slot_flags &= ~1U;
  NarrowInterval(ThresholdKey(split), goes_right, &earlier.lower, &earlier.upper);
  return earlier;
}

/// The lowest edge at or above the one to `node` whose feature has the slot; kNoEdge: none. By edge: parent, feature.
KAURI_HD std::uint32_t FindEarlier(std::uint32_t const* parent, PathFeature const* feature, std::uint32_t node,
                                   std::uint32_t slot) {
  for (std::uint32_t edge = node; edge != 0; edge = parent[edge]) {
    if (feature[edge].Slot() == slot) return edge;
  }
  return kNoEdge;
}

/// ForEachPathEdge without memory of its own, for a path of at most kMostPathFeatures distinct features. Time: depth *
/// features that repeat. By edge: parent, earlier.
template <typename Fn>
KAURI_HD void ForEachShortPathEdge(std::uint32_t const* parent, std::uint32_t const* earlier, std::uint32_t node,
                                   Fn&& fn) {
  std::uint32_t merged[kMostPathFeatures];  // edges above that are to be left out
  int n_merged = 0;
  for (; node != 0; node = parent[node]) {
    int place = 0;
    while (place < n_merged && merged[place] != node) ++place;
    bool const is_last = place == n_merged;  // of its feature
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

}  // namespace kauri
