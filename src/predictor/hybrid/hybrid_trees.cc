#include "predictor/hybrid/hybrid_trees.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kauri {
namespace {

constexpr std::uint32_t kNoParent = std::numeric_limits<std::uint32_t>::max();

}  // namespace

LeafUnit::LeafUnit(Forest const& forest, TreeRange own) {
  auto bound = 0.0;
  for (auto tree = own.begin; tree < own.end; ++tree) {
    auto largest = 0.0F;
    for (auto node = forest.tree_begin[tree]; node < forest.tree_begin[tree + 1]; ++node) {
      auto const value = std::abs(forest.leaf_value[node]);
      if (!std::isfinite(value)) {
        Fail(ErrorKind::kModel, "tree ", forest.ModelTree(tree), " has a leaf of ", forest.leaf_value[node],
             ", which has no share in a mean; train the model on finite numbers.");
      }
      largest = std::max(largest, value);
    }
    bound += static_cast<double>(largest);
  }
  exponent_ = bound > 0.0 ? 60 - std::ilogb(bound) : 0;
}

std::int64_t LeafUnit::Fixed(float value) const {
  return std::llrint(std::ldexp(static_cast<double>(value), exponent_));
}

double LeafUnit::Value(std::int64_t fixed) const { return std::ldexp(static_cast<double>(fixed), -exponent_); }

HybridTrees::HybridTrees(HybridTask const& task)
    : task_(task), constant_(ToSize(task.forest.n_outputs)), decided_(ToSize(task.n_players), 0) {}

std::uint32_t HybridTrees::Follow(std::int64_t tree, std::uint32_t node, std::int32_t const* x,
                                  std::int32_t const* r) const {
  auto const& forest = task_.forest;
  for (;;) {
    auto const split = forest.Node(tree, node);
    if (split.left == node) return node;
    auto const by_x = GoesRight(split, x[split.slot], forest.categories);
    auto const by_r = GoesRight(split, r[split.slot], forest.categories);
    auto const player = task_.player_of_slot[split.slot];
    auto right = by_r;
    if (by_x != by_r && player >= 0) {
      auto const decision = decided_[ToSize(player)];
      if (decision == 0) return node;
      right = decision > 0 ? by_x : by_r;
    }
    node = split.left + (right ? 1U : 0U);
  }
}

void HybridTrees::Decide(Visit const& visit) {
  for (; path_.size() > visit.n_decided; path_.pop_back()) decided_[ToSize(path_.back())] = 0;
  if (visit.player < 0) return;
  decided_[ToSize(visit.player)] = visit.present ? 1 : -1;
  path_.push_back(visit.player);
}

void HybridTrees::CompileTree(std::int64_t tree, std::int32_t const* x, std::int32_t const* r) {
  auto const& forest = task_.forest;
  auto const output = forest.output_of_tree[tree];
  auto const first = nodes_.size();
  visits_.assign(1, {0, kNoParent, 0, -1, false});
  while (!visits_.empty()) {
    auto const visit = visits_.back();
    visits_.pop_back();
    Decide(visit);
    auto const node = Follow(tree, visit.node, x, r);
    auto const number = static_cast<std::uint32_t>(nodes_.size());
    if (visit.parent != kNoParent) nodes_[visit.parent].other = number;
    if (forest.IsLeaf(tree, node)) {
      nodes_.push_back({-1, 0, task_.unit.Fixed(forest.leaf_value[forest.tree_begin[tree] + node])});
      continue;
    }
    auto const split = forest.Node(tree, node);
    auto const player = task_.player_of_slot[split.slot];
    auto const by_x = split.left + (GoesRight(split, x[split.slot], forest.categories) ? 1U : 0U);
    auto const by_r = split.left + (GoesRight(split, r[split.slot], forest.categories) ? 1U : 0U);
    nodes_.push_back({player, 0, 0});
    visits_.push_back({by_r, number, path_.size(), player, false});
    visits_.push_back({by_x, kNoParent, path_.size(), player, true});
  }
  if (nodes_.size() > first + 1) {
    roots_.push_back({static_cast<std::uint32_t>(first), output});
    return;
  }
  constant_[ToSize(output)] += nodes_.back().value;
  nodes_.pop_back();
}

void HybridTrees::Compile(std::int32_t const* x, std::int32_t const* r) {
  nodes_.clear();
  roots_.clear();
  std::fill(constant_.begin(), constant_.end(), 0);
  for (auto tree = task_.own.begin; tree < task_.own.end; ++tree) CompileTree(tree, x, r);
  Decide({0, kNoParent, 0, -1, false});
}

void HybridTrees::SumOrder(std::uint32_t const* rank, Span<std::int64_t> sums) {
  auto const n_outputs = task_.forest.n_outputs;
  auto const n_sums = static_cast<std::uint32_t>(task_.n_players) + 1;
  std::fill(sums.begin(), sums.end(), 0);
  std::copy(constant_.begin(), constant_.end(), sums.begin());
  for (auto const& root : roots_) {
    walks_.assign(1, {root.node, 0, n_sums});
    while (!walks_.empty()) {
      auto walk = walks_.back();
      walks_.pop_back();
      while (nodes_[walk.node].player >= 0) {
        auto const& node = nodes_[walk.node];
        auto const joined = std::clamp(rank[node.player] + 1, walk.begin, walk.end);
        if (joined == walk.end) {  // never x's
          walk.node = node.other;
          continue;
        }
        if (walk.begin < joined) walks_.push_back({node.other, walk.begin, joined});
        ++walk.node;
        walk.begin = joined;
      }
      auto const value = nodes_[walk.node].value;
      sums[walk.begin * n_outputs + root.output] += value;
      if (walk.end < n_sums) sums[walk.end * n_outputs + root.output] -= value;
    }
  }
  for (auto i = n_outputs; i < n_sums * n_outputs; ++i) sums[i] += sums[i - n_outputs];
}

void HybridTrees::SumMask(std::uint8_t const* mask, Span<std::int64_t> sums) const {
  std::copy(constant_.begin(), constant_.end(), sums.begin());
  for (auto const& root : roots_) {
    auto number = root.node;
    while (nodes_[number].player >= 0) number = mask[nodes_[number].player] != 0 ? number + 1 : nodes_[number].other;
    sums[root.output] += nodes_[number].value;
  }
}

}  // namespace kauri
