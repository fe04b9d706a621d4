#include "tree/constraints/constraints.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "kauri/error.h"

namespace kauri {
namespace {

void InsertSorted(std::vector<std::uint32_t> const& other, std::vector<std::uint32_t>* ascending) {
  std::vector<std::uint32_t> both;
  std::set_union(ascending->begin(), ascending->end(), other.begin(), other.end(), std::back_inserter(both));
  ascending->swap(both);
}

}  // namespace

TreeConstraints::TreeConstraints(ConstraintRules const& rules, std::int64_t n_features)
    : rules_(rules), signs_(rules.signs), bounds_(1), paths_(1), path_of_node_(1) {
  auto const n = static_cast<std::size_t>(n_features);
  if (signs_.size() > n) {
    Fail(ErrorKind::kParameter, "monotone_constraints has ", signs_.size(), " values, the data have ", n,
         " features; give at most one value for each feature.");
  }
  if (rules.HasMonotone()) signs_.resize(n, 0);
  for (auto const& set : rules.feature_sets) {
    if (set.empty() || set.back() < n) continue;
    Fail(ErrorKind::kParameter, "interaction_constraints names feature ", set.back(), ", but the data have ", n,
         " features, numbered from 0; correct its number, or drop it.");
  }
  paths_[0].sets.resize(rules.feature_sets.size());
  std::iota(paths_[0].sets.begin(), paths_[0].sets.end(), std::size_t{0});
}

WeightBounds TreeConstraints::BoundsOf(std::int32_t node) const {
  return rules_.HasMonotone() ? bounds_[node] : WeightBounds{};
}

std::vector<std::uint32_t> TreeConstraints::AllowedOf(std::int32_t node,
                                                      std::vector<std::uint32_t> const& features) const {
  auto const path = LimitsFeatures() ? path_of_node_[node] : 0;
  if (path == 0) return features;
  auto const& allowed = paths_[path].allowed;
  std::vector<std::uint32_t> both;
  std::set_intersection(features.begin(), features.end(), allowed.begin(), allowed.end(), std::back_inserter(both));
  return both;
}

void TreeConstraints::AddSplit(Tree const& tree, std::int32_t node) {
  if (rules_.HasMonotone() && !tree.HasVectorLeaves()) PassBounds(tree, node);
  if (!LimitsFeatures()) return;
  path_of_node_.resize(tree.left.size());
  auto const path = LongerPath(path_of_node_[node], tree.split_feature[node]);
  path_of_node_[tree.left[node]] = path_of_node_[tree.right[node]] = path;
}

void TreeConstraints::PassBounds(Tree const& tree, std::int32_t node) {
  bounds_.resize(tree.left.size());
  auto const left = ToSize(tree.left[node]);
  auto const right = ToSize(tree.right[node]);
  bounds_[left] = bounds_[right] = bounds_[node];
  auto const sign = SignOf(tree.split_feature[node]);
  // Uses float32, like the weights: bounds are weights that leaves can have.
  auto const middle = static_cast<double>((tree.base_weight[left] + tree.base_weight[right]) / 2.0F);
  if (sign > 0) bounds_[left].upper = bounds_[right].lower = middle;
  if (sign < 0) bounds_[left].lower = bounds_[right].upper = middle;
}

std::size_t TreeConstraints::LongerPath(std::size_t path, std::uint32_t feature) {
  auto used = paths_[path].used;
  InsertSorted({feature}, &used);
  auto const [found, is_new] = path_by_used_.try_emplace(used, paths_.size());
  if (!is_new) return found->second;
  Path longer;
  longer.allowed = longer.used = used;
  for (auto const set : paths_[path].sets) {
    auto const& features = rules_.feature_sets[set];
    if (!std::binary_search(features.begin(), features.end(), feature)) continue;
    longer.sets.push_back(set);
    InsertSorted(features, &longer.allowed);
  }
  paths_.push_back(std::move(longer));
  return paths_.size() - 1;
}

}  // namespace kauri
