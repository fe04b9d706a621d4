#include <algorithm>

#include "predictor/margins/tree_tops.h"

namespace kauri {
namespace {

bool AreSame(SplitNode const& a, SplitNode const& b) {
  return a.slot == b.slot && a.key == b.key && a.default_left == b.default_left;
}

std::size_t PlaceOf(std::vector<SplitNode> const& conditions, SplitNode const& node) {
  auto const found =
      std::find_if(conditions.begin(), conditions.end(), [&](SplitNode const& other) { return AreSame(other, node); });
  return static_cast<std::size_t>(found - conditions.begin());
}

}  // namespace

bool MayUseConditions(Forest const& forest) {
  auto const& depths = forest.tree_depth;
  auto const is_deeper = [](std::int32_t depth) { return depth > kTreeTopsLevels; };
  return forest.model_tree.empty() && std::none_of(depths.begin(), depths.end(), is_deeper);
}

std::vector<SplitNode> ConditionsOf(Forest const& forest, std::int64_t tree) {
  auto const n_nodes = static_cast<std::uint32_t>(forest.tree_begin[tree + 1] - forest.tree_begin[tree]);
  auto const most = std::min<std::size_t>(kTreeTopsLevels, ((std::size_t{1} << forest.tree_depth[tree]) - 1) / 2);
  std::vector<SplitNode> conditions;
  for (std::uint32_t node = 0; node < n_nodes; ++node) {
    if (forest.IsLeaf(tree, node)) continue;
    auto const split = forest.Node(tree, node);
    if (PlaceOf(conditions, split) < conditions.size()) continue;
    if (conditions.size() == most) return {};
    conditions.push_back(split);
  }
  return conditions;
}

std::uint32_t LeafOfAnswers(Forest const& forest, std::int64_t tree, std::vector<SplitNode> const& conditions,
                            std::uint32_t answers) {
  std::uint32_t node = 0;
  while (!forest.IsLeaf(tree, node)) {
    auto const split = forest.Node(tree, node);
    auto const bit = conditions.size() - 1 - PlaceOf(conditions, split);
    node = split.left + (answers >> bit & 1U);
  }
  return node;
}

}  // namespace kauri
