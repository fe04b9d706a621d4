/// \file The paths of trees as sets of distinct features (Mitchell et al. 2022, sections 3.1 and 3.2).
///
/// Vocabulary. An edge is named by the node that it leads to. Its feature is the one that its parent splits on, merged
/// with all splits on the same feature further up: intervals intersect, cover ratios multiply, a missing value follows
/// if it follows at each of them. A path is what is left of the edges from the root to a leaf when only the last edge
/// of each feature counts; a path's box does not depend on the order of its features.
///
///   1. For each edge find the nearest edge above it with the same feature, and merge with it.
///   2. A leaf's path: walk up, leave out edges that a lower edge was merged with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "predictor/forest/forest.h"
#include "predictor/paths/path_feature.h"
#include "predictor/paths/path_steps.h"

namespace kauri {

/// What conditions on categories refer to. Grows while trees are walked.
class PathCategories {
 public:
  explicit PathCategories(CategorySets const& of_forest) : sets_(of_forest) {}
  /// Numbers of the feature's earlier condition (or of its interval alone) whose category is in `set` (goes right), or
  /// is not.
  std::int32_t Add(PathFeature const& earlier, std::int32_t set, bool goes_right);
  /// The condition of `earlier`, with another interval.
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
  std::vector<std::uint32_t> earlier;  ///< the edge above that was merged in, kNoEdge: none
  std::vector<PathFeature> feature;    ///< zero_fraction rounded
  std::vector<double> zero_fraction;
  std::vector<std::int32_t> n_features;  ///< distinct ones on the way from the root
};

/// Time: nodes * depth, memory: about 36 bytes a node. Trees with categorical splits must come one after the other.
TreeEdges FindEdges(Forest const& forest, std::int64_t tree, PathCategories* categories);

/// The distinct features of the path to `node`, from the lowest to the highest: fn(edge). Time: depth * log(features).
template <typename Fn>
void ForEachPathEdge(TreeEdges const& edges, std::uint32_t node, Fn&& fn) {
  std::vector<std::uint32_t> merged;  // edges above that are to be left out, a heap: parents have smaller numbers
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
