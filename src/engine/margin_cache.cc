#include "engine/margin_cache.h"

#include <algorithm>

#include "common/large_memory.h"
#include "common/threads/parallel_for.h"

namespace kauri {

bool MarginCache::IsStale(Model const& model, Span<float const> start) const {
  if (!std::equal(start.begin(), start.end(), start_.begin(), start_.end())) return true;
  if (model.categories.unseen != unseen_ || static_cast<std::int64_t>(model.trees.size()) < n_trees_) return true;
  if (model.linear.weights != linear_weights_) return true;
  for (std::int64_t tree = 0; tree < n_trees_; ++tree) {
    auto const index = static_cast<std::size_t>(tree);
    if (model.TreeWeight(tree) != (index < tree_weights_.size() ? tree_weights_[index] : 1.0F)) return true;
  }
  return false;
}

MarginPlan MarginCache::Begin(WantedMargins const& wanted) {
  auto const n_trees = static_cast<std::int64_t>(wanted.model.trees.size());
  auto const& dropped = wanted.dropped;
  auto const same_dropped = std::equal(dropped.begin(), dropped.end(), dropped_.begin(), dropped_.end());
  MarginPlan plan;
  plan.first_time = IsInvalid() || info_revision_ != wanted.data->InfoRevision();
  plan.restart = plan.first_time || !same_dropped || IsStale(wanted.model, wanted.start);
  auto begin = plan.restart ? 0 : n_trees_;
  if (plan.restart) {
    for (auto const tree : dropped) {
      if (begin < tree) plan.runs.push_back({begin, tree});
      begin = tree + 1;
    }
  }
  if (begin < n_trees || (plan.restart && plan.runs.empty())) plan.runs.push_back({begin, n_trees});
  if (!plan.IsNothing()) Invalidate();
  return plan;
}

void MarginCache::Hold(WantedMargins const& wanted) {
  auto const& model = wanted.model;
  data_ = wanted.data;
  info_revision_ = wanted.data->InfoRevision();
  n_trees_ = static_cast<std::int64_t>(model.trees.size());
  start_.assign(wanted.start.begin(), wanted.start.end());
  unseen_ = model.categories.unseen;
  tree_weights_ = model.tree_weights;
  dropped_.assign(wanted.dropped.begin(), wanted.dropped.end());
  linear_weights_ = model.linear.weights;
}

namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 12;

}  // namespace

Span<std::int32_t> PendingLeaves::NextLeaves(std::int64_t n_rows) {
  if (trees_.size() == n_trees_) trees_.emplace_back();
  auto& leaves = trees_[n_trees_].leaf_of_row;
  ResizeLarge(&leaves, static_cast<std::size_t>(n_rows));
  return leaves;
}

void PendingLeaves::Add(Tree const& tree, std::int64_t output) {
  trees_[n_trees_].values = tree.split_value;
  trees_[n_trees_].output = output;
  ++n_trees_;
}

void PendingLeaves::AddTo(Context const& ctx, std::int64_t n_outputs, Span<float> margins) {
  auto const n_rows = static_cast<std::int64_t>(margins.size()) / n_outputs;
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    constexpr std::int64_t kRowsPerTile = 256;  // their margins stay in the first-level cache from tree to tree
    for (auto first = begin; first < end; first += kRowsPerTile) {
      auto const last = first + kRowsPerTile < end ? first + kRowsPerTile : end;
      for (std::size_t i = 0; i < n_trees_; ++i) {
        auto const* leaves = trees_[i].leaf_of_row.data();
        auto const* values = trees_[i].values.data();
        auto* const of_output = margins.data() + trees_[i].output;
        for (auto row = first; row < last; ++row) of_output[row * n_outputs] += values[leaves[row]];
      }
    }
  });
  n_trees_ = 0;
}

}  // namespace kauri
