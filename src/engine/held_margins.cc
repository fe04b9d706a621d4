#include "engine/held_margins.h"

#include <algorithm>

namespace kauri {

bool HeldMargins::IsStale(Model const& model, Span<float const> start) const {
  if (!std::equal(start.begin(), start.end(), start_.begin(), start_.end())) return true;
  if (model.categories.unseen != unseen_ || static_cast<std::int64_t>(model.trees.size()) < n_trees_) return true;
  if (model.linear.weights != linear_weights_) return true;
  for (std::int64_t tree = 0; tree < n_trees_; ++tree) {
    auto const index = static_cast<std::size_t>(tree);
    if (model.TreeWeight(tree) != (index < tree_weights_.size() ? tree_weights_[index] : 1.0F)) return true;
  }
  return false;
}

MarginPlan HeldMargins::PlanFor(Model const& model, Span<float const> start, Span<std::int64_t const> dropped,
                                bool fresh) const {
  auto const n_trees = static_cast<std::int64_t>(model.trees.size());
  auto const same_dropped = std::equal(dropped.begin(), dropped.end(), dropped_.begin(), dropped_.end());
  MarginPlan plan;
  if (!fresh && same_dropped && !IsStale(model, start)) {
    if (n_trees_ < n_trees) plan.runs.push_back({n_trees_, n_trees});
    return plan;
  }
  plan.restart = true;
  std::int64_t begin = 0;
  for (auto const tree : dropped) {
    if (begin < tree) plan.runs.push_back({begin, tree});
    begin = tree + 1;
  }
  if (begin < n_trees || plan.runs.empty()) plan.runs.push_back({begin, n_trees});
  return plan;
}

void HeldMargins::Hold(Model const& model, Span<float const> start, Span<std::int64_t const> dropped) {
  start_.assign(start.begin(), start.end());
  unseen_ = model.categories.unseen;
  n_trees_ = static_cast<std::int64_t>(model.trees.size());
  tree_weights_ = model.tree_weights;
  dropped_.assign(dropped.begin(), dropped.end());
  linear_weights_ = model.linear.weights;
}

}  // namespace kauri
