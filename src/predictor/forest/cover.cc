#include "predictor/forest/cover.h"

#include <algorithm>

namespace kauri {

std::vector<double> NodeMeans(Forest const& forest, std::int64_t tree) {
  auto const begin = static_cast<std::size_t>(forest.tree_begin[tree]);
  auto const end = static_cast<std::size_t>(forest.tree_begin[tree + 1]);
  std::vector<double> means(end - begin);
  // Children come after their parent.
  for (auto node = end - begin; node-- > 0;) {
    auto const left = forest.Node(tree, static_cast<std::uint32_t>(node)).left;
    if (left == node) {
      means[node] = static_cast<double>(forest.leaf_value[begin + node]);
      continue;
    }
    auto const cover = forest.cover[begin + node];
    means[node] = CoverRatio(cover, forest.cover[begin + left]) * means[left] +
                  CoverRatio(cover, forest.cover[begin + left + 1]) * means[left + 1];
  }
  return means;
}

double SumOfLeafWeights(Forest const& forest, std::int64_t tree) {
  auto const begin = forest.tree_begin[tree];
  auto const* cover = forest.cover.data() + begin;
  std::vector<double> below(static_cast<std::size_t>(forest.tree_begin[tree + 1] - begin), 1.0);
  // Children come after their parent.
  for (auto node = below.size(); node-- > 0;) {
    auto const left = forest.Node(tree, static_cast<std::uint32_t>(node)).left;
    if (left == node) continue;
    auto const unknown =
        CoverRatio(cover[node], cover[left]) * below[left] + CoverRatio(cover[node], cover[left + 1]) * below[left + 1];
    below[node] = std::max({below[left], below[left + 1], unknown});
  }
  return below[0];
}

std::vector<double> AloneEffects(Forest const& forest, std::int64_t tree) {
  struct Edge {
    std::size_t parent;
    std::uint32_t slot;
    double ratio;
  };
  auto const means = NodeMeans(forest, tree);
  auto const* cover = forest.cover.data() + forest.tree_begin[tree];
  std::vector<Edge> edges(means.size());
  std::vector<double> effects(2 * means.size(), 0.0);
  for (std::size_t node = 0; node < means.size(); ++node) {
    auto const split = forest.Node(tree, static_cast<std::uint32_t>(node));
    if (split.left == node) continue;
    auto chance = 1.0;
    for (auto above = node; above != 0; above = edges[above].parent) {
      if (edges[above].slot != split.slot) chance *= edges[above].ratio;
    }
    for (std::size_t side = 0; side < 2; ++side) {
      auto const child = split.left + side;
      edges[child] = {node, split.slot, CoverRatio(cover[node], cover[child])};
      effects[2 * node + side] = chance * (means[child] - means[node]);
    }
  }
  return effects;
}

std::vector<double> ExpectedMargins(Forest const& forest, TreeRange trees) {
  std::vector<double> margins(forest.n_outputs, 0.0);
  for (auto tree = trees.begin; tree < trees.end; ++tree) {
    auto const output = forest.output_of_tree[tree];
    margins[output] += NodeMeans(forest, tree)[0];
  }
  return margins;
}

}  // namespace kauri
