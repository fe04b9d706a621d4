#include "predictor/lanes/packed_paths.h"

#include "common/threads/parallel_for.h"

namespace kauri {
namespace {

/// The leaves of a range of trees, one tree after the other.
struct Leaves {
  std::vector<TreeEdges> edges;                   ///< by tree
  std::vector<std::vector<std::uint32_t>> nodes;  ///< by tree
  std::vector<std::int64_t> begin;                ///< [n_trees + 1], numbers of paths
  std::vector<std::uint8_t> sizes;                ///< [n_paths]
};

void CheckLength(std::int32_t n_features, std::int64_t tree) {
  if (n_features < kWarpLanes) return;
  Fail(ErrorKind::kParameter, "shap_method=treeshap holds paths of at most ", kWarpLanes - 1,
       " distinct features; tree ", tree, " has a path of ", n_features, ". Use shap_method=quadrature.");
}

Leaves FindLeaves(Context const& ctx, Forest const& forest, TreeRange trees, PathCategories* categories) {
  auto const n_trees = trees.end - trees.begin;
  Leaves leaves;
  leaves.edges.resize(n_trees);
  leaves.nodes.resize(n_trees);
  auto one_by_one = ctx;
  if (forest.has_categorical) one_by_one.threads = 1;
  ParallelFor(one_by_one, n_trees, [&](std::int64_t t) {
    auto const tree = trees.begin + t;
    leaves.edges[t] = FindEdges(forest, tree, categories);
    auto const n_nodes = static_cast<std::uint32_t>(leaves.edges[t].parent.size());
    for (std::uint32_t node = 1; node < n_nodes; ++node) {
      if (forest.IsLeaf(tree, node)) leaves.nodes[t].push_back(node);
    }
  });
  leaves.begin.assign(1, 0);
  for (std::int64_t t = 0; t < n_trees; ++t) {
    for (auto const node : leaves.nodes[t]) {
      auto const n_features = leaves.edges[t].n_features[node];
      CheckLength(n_features, forest.trees.begin + forest.ModelTree(trees.begin + t));
      leaves.sizes.push_back(static_cast<std::uint8_t>(n_features + 1));
    }
    leaves.begin.push_back(static_cast<std::int64_t>(leaves.sizes.size()));
  }
  return leaves;
}

}  // namespace

PackedPaths PackPaths(Context const& ctx, Forest const& forest, TreeRange trees, BinPacking method) {
  PackedPaths packed{{}, {}, PathCategories(forest.categories), 1.0};
  auto const leaves = FindLeaves(ctx, forest, trees, &packed.categories);
  auto const packing = PackBins(leaves.sizes, kWarpLanes, method);
  packed.utilisation = packing.Utilisation();
  packed.elements.resize(packing.used);

  std::vector<std::int64_t> element_of_path(leaves.sizes.size());
  std::int64_t used = 0;
  for (std::int64_t bin = 0; bin < packing.NumBins(); ++bin) {
    packed.bin_begin.push_back(used);
    for (auto i = packing.bin_begin[bin]; i < packing.bin_begin[bin + 1]; ++i) {
      element_of_path[packing.items[i]] = used;
      used += leaves.sizes[packing.items[i]];
    }
  }
  packed.bin_begin.push_back(used);

  ParallelFor(ctx, trees.end - trees.begin, [&](std::int64_t t) {
    auto const tree = trees.begin + t;
    auto const& edges = leaves.edges[t];
    auto path = leaves.begin[t];
    for (auto const node : leaves.nodes[t]) {
      auto* element = packed.elements.data() + element_of_path[path++];
      auto const value = forest.leaf_value[forest.tree_begin[tree] + node];
      *element++ = RootElement(value, forest.output_of_tree[tree]);
      ForEachShortPathEdge(edges.parent.data(), edges.earlier.data(), node,
                           [&](std::uint32_t edge) { *element++ = edges.feature[edge]; });
    }
  });
  return packed;
}

}  // namespace kauri
