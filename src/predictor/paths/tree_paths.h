/// \file The paths of trees as sets of distinct features (Mitchell et al. 2022, sections 3.1 and 3.2).
///
/// Vocabulary. An edge is named by the node that it leads to. Its feature is the feature of its parent's split, merged
/// with all splits on the same feature further up: intervals intersect, cover ratios multiply, and a missing value
/// follows if it follows at each split. A path consists of the last edge of each feature between the root and a leaf;
/// its box does not depend on the order of its features.
///
///   1. For each edge, find the nearest edge above it with the same feature and merge with it.
///   2. For each leaf, go up to the root and skip edges that were merged into a lower edge.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "predictor/forest/forest.h"
#include "predictor/paths/path_steps.h"

namespace kauri {

/// The category sets of conditions. Grows while trees are traversed.
class PathCategories {
 public:
  explicit PathCategories(CategorySets const& of_forest) : sets_(of_forest) {}
  /// Adds the feature's earlier condition (or interval alone), restricted to categories in `set` (goes right) or not in
  /// `set`. Returns the number of the new condition.
  std::int32_t Add(PathFeature const& earlier, std::int32_t set, bool goes_right);
  /// Adds the condition `earlier` with another interval. Returns the number of the new condition.
  std::int32_t AddInterval(CategoryCondition const& earlier, std::int32_t lower, std::int32_t upper);
  CategoryConditionsView View() const { return {conditions_.data(), {sets_.Sets().data(), sets_.Data().data()}}; }
  std::vector<CategoryCondition> const& Conditions() const { return conditions_; }
  CategorySets const& Sets() const { return sets_; }

 private:
  CategorySets sets_;
  std::vector<CategoryCondition> conditions_;
};

/// The edges of one tree, by the node that they lead to; the root's entries are not used. [n_nodes] each.
struct TreeEdges {
  std::vector<std::uint32_t> parent;
  std::vector<std::uint32_t> earlier;  ///< edge above that was merged into this one, kNoEdge: none
  std::vector<PathFeature> feature;    ///< zero_fraction rounded
  std::vector<double> zero_fraction;
  std::vector<std::int32_t> n_features;  ///< distinct features on the path from the root
};

/// Finds the edges of a tree. Time: nodes * depth; memory: about 36 bytes per node. Trees with categorical splits must
/// be processed one after the other.
TreeEdges FindEdges(Forest const& forest, std::int64_t tree, PathCategories* categories);

/// Calls fn(edge) for the last edge of each distinct feature of the path to `node`, from the lowest to the highest.
/// Time: depth * log(features).
template <typename Fn>
void ForEachPathEdge(TreeEdges const& edges, std::uint32_t node, Fn&& fn) {
  std::vector<std::uint32_t> merged;  // edges above that must be skipped; a heap, because parents have smaller numbers
  for (; node != 0; node = edges.parent[node]) {
    if (!merged.empty() && merged.front() == node) {
      std::pop_heap(merged.begin(), merged.end());
      merged.pop_back();
    } else {
      fn(node);
    }
    if (edges.earlier[node] == kNoEdge) continue;
    merged.push_back(edges.earlier[node]);
    std::push_heap(merged.begin(), merged.end());
  }
}

}  // namespace kauri
