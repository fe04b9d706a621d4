#include "predictor/paths/tree_paths.h"

#include <algorithm>
#include <iterator>

#include "predictor/paths/path_steps.h"

namespace kauri {
namespace {

constexpr std::uint32_t kMaxSlot = (1U << 30U) - 2U;

/// Returns the categories in both sets. Each set is a list of categories, or the complement of a list. The result is a
/// complement iff both are.
std::vector<std::int32_t> Intersect(std::vector<std::int32_t> const& a, bool a_is_complement,
                                    std::vector<std::int32_t> const& b, bool b_is_complement) {
  std::vector<std::int32_t> result;
  auto const to = std::back_inserter(result);
  if (a_is_complement && b_is_complement) {
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), to);
  } else if (a_is_complement) {
    std::set_difference(b.begin(), b.end(), a.begin(), a.end(), to);
  } else if (b_is_complement) {
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), to);
  } else {
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), to);
  }
  return result;
}

/// Merges a split, followed to one of its children, into the earlier splits on the feature.
PathFeature Merge(PathFeature const& earlier, SplitNode const& split, bool goes_right, PathCategories* categories) {
  if (!split.is_categorical && !earlier.HasCategories()) return MergeNumber(earlier, split, goes_right);
  auto feature = earlier;
  if (goes_right == split.default_left) feature.slot_flags &= ~1U;
  if (split.is_categorical) {
    feature.lower = categories->Add(earlier, split.key, goes_right);
    feature.slot_flags |= 2U;
  } else {
    auto condition = categories->Conditions()[feature.lower];
    NarrowInterval(ThresholdKey(split), goes_right, &condition.lower, &condition.upper);
    feature.lower = categories->AddInterval(condition, condition.lower, condition.upper);
  }
  return feature;
}

}  // namespace

std::int32_t PathCategories::Add(PathFeature const& earlier, std::int32_t set, bool goes_right) {
  CategoryCondition condition{earlier.lower, earlier.upper, set, !goes_right};
  if (earlier.HasCategories()) {
    auto const& before = conditions_[earlier.lower];
    condition.lower = before.lower;
    condition.upper = before.upper;
    condition.is_complement = before.is_complement && !goes_right;
    condition.set = sets_.Add(Intersect(sets_.List(before.set), before.is_complement, sets_.List(set), !goes_right));
  }
  conditions_.push_back(condition);
  return static_cast<std::int32_t>(conditions_.size() - 1);
}

std::int32_t PathCategories::AddInterval(CategoryCondition const& earlier, std::int32_t lower, std::int32_t upper) {
  conditions_.push_back({lower, upper, earlier.set, earlier.is_complement});
  return static_cast<std::int32_t>(conditions_.size() - 1);
}

TreeEdges FindEdges(Forest const& forest, std::int64_t tree, PathCategories* categories) {
  auto const begin = ToSize(forest.tree_begin[tree]);
  auto const n_nodes = ToSize(forest.tree_begin[tree + 1]) - begin;
  TreeEdges edges;
  edges.parent.assign(n_nodes, 0);
  edges.earlier.assign(n_nodes, kNoEdge);
  edges.feature.resize(n_nodes);
  edges.zero_fraction.assign(n_nodes, 1.0);
  edges.n_features.assign(n_nodes, 0);
  EdgesView const view{edges.parent.data(), edges.earlier.data(), edges.feature.data(), edges.zero_fraction.data(),
                       edges.n_features.data()};
  for (std::uint32_t node = 0; node < n_nodes; ++node) {
    auto const split = forest.Node(tree, node);
    if (split.left == node) continue;
    if (split.slot > kMaxSlot) Fail(ErrorKind::kModel, "contributions of more than 2^30 features are not supported.");
    AddChildEdges(view, forest.cover.data() + begin, split, node, [&](PathFeature const& above, bool goes_right) {
      return Merge(above, split, goes_right, categories);
    });
  }
  return edges;
}

}  // namespace kauri
