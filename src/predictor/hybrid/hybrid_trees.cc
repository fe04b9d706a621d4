#include "predictor/hybrid/hybrid_trees.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "predictor/forest/walk.h"

namespace kauri {
namespace {

constexpr std::uint32_t kNoParent = std::numeric_limits<std::uint32_t>::max();

}  // namespace

FixedLeaves::FixedLeaves(Forest const& forest, TreeRange own) : values_(forest.leaf_value.size(), 0) {
  std::vector<double> bounds(ToSize(forest.n_outputs), 0.0);
  for (auto tree = own.begin; tree < own.end; ++tree) {
    auto largest = 0.0F;
    for (auto node = forest.tree_begin[tree]; node < forest.tree_begin[tree + 1]; ++node) {
      auto const value = std::abs(forest.leaf_value[node]);
      if (!std::isfinite(value)) {
        Fail(ErrorKind::kModel, "tree ", forest.ModelTree(tree), " has a leaf of ", forest.leaf_value[node],
             ", which is not finite and cannot be averaged; train the model on finite numbers.");
      }
      largest = std::max(largest, value);
    }
    bounds[ToSize(forest.output_of_tree[tree])] += static_cast<double>(largest);
  }
  auto const exponent_of = [&](std::size_t output) {
    return bounds[output] > 0.0 ? 60 - std::ilogb(bounds[output]) : 0;
  };
  for (std::size_t output = 0; output < bounds.size(); ++output) {
    units_.push_back(std::ldexp(1.0, -exponent_of(output)));
  }
  for (auto tree = own.begin; tree < own.end; ++tree) {
    auto const exponent = exponent_of(ToSize(forest.output_of_tree[tree]));
    for (auto node = forest.tree_begin[tree]; node < forest.tree_begin[tree + 1]; ++node) {
      values_[ToSize(node)] = std::llrint(std::ldexp(static_cast<double>(forest.leaf_value[node]), exponent));
    }
  }
}

HybridTrees::HybridTrees(HybridTask const& task)
    : task_(task),
      constant_(ToSize(task.forest.n_outputs)),
      decided_(ToSize(task.n_players), 0),
      walks_(ToSize(task.n_players) + 1) {}

template <bool kCategorical, typename Reader>
HybridTrees::Fork HybridTrees::Follow(Reader const& reader, std::uint32_t node, Pair const& keys) const {
  auto const& categories = task_.forest.categories;
  auto const goes_right = [&](SplitNode const& split, std::int32_t key) {
    return kCategorical ? GoesRight(split, key, categories) : GoesRightAtThreshold(split, key);
  };
  for (;;) {
    auto const split = reader.Read(node);
    if (split.left == node) return {node, -1, 0, 0};
    auto const by_x = split.left + (goes_right(split, keys.x[split.slot]) ? 1U : 0U);
    auto const by_r = split.left + (goes_right(split, keys.r[split.slot]) ? 1U : 0U);
    auto const player = task_.player_of_slot[split.slot];
    auto const decision = by_x == by_r || player < 0 ? std::int8_t{-1} : decided_[ToSize(player)];
    if (decision == 0) return {node, player, by_x, by_r};
    node = decision > 0 ? by_x : by_r;
  }
}

void HybridTrees::Decide(Visit const& visit) {
  for (; path_.size() > visit.n_decided; path_.pop_back()) decided_[ToSize(path_.back())] = 0;
  if (visit.player < 0) return;
  decided_[ToSize(visit.player)] = visit.present ? 1 : -1;
  path_.push_back(visit.player);
}

template <bool kCategorical, typename Reader>
void HybridTrees::CompileTree(Reader const& reader, std::int64_t tree, Pair const& keys) {
  auto const begin = task_.forest.tree_begin[tree];
  auto const from_tree = reader.From(begin);
  auto const output = task_.forest.output_of_tree[tree];
  auto const first = nodes_.size();
  visits_.assign(1, {0, kNoParent, 0, -1, false});
  while (!visits_.empty()) {
    auto const visit = visits_.back();
    visits_.pop_back();
    Decide(visit);
    auto const fork = Follow<kCategorical>(from_tree, visit.node, keys);
    auto const number = static_cast<std::uint32_t>(nodes_.size());
    if (visit.parent != kNoParent) nodes_[visit.parent].other = number;
    if (fork.player < 0) {
      nodes_.push_back({-1, 0, task_.leaves.At(begin + fork.node)});
      continue;
    }
    nodes_.push_back({fork.player, 0, 0});
    visits_.push_back({fork.by_r, number, path_.size(), fork.player, false});
    visits_.push_back({fork.by_x, kNoParent, path_.size(), fork.player, true});
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
  WithReader(task_.forest, [&](auto const& reader, auto has_categorical) {
    for (auto tree = task_.own.begin; tree < task_.own.end; ++tree) {
      CompileTree<decltype(has_categorical)::value>(reader, tree, {x, r});
    }
  });
  Decide({0, kNoParent, 0, -1, false});
}

void HybridTrees::SumOrder(std::uint32_t const* rank, Span<std::int64_t> sums) {
  auto const n_outputs = task_.forest.n_outputs;
  auto const n_sums = static_cast<std::uint32_t>(task_.n_players) + 1;
  std::fill(sums.begin(), sums.end(), 0);
  std::copy(constant_.begin(), constant_.end(), sums.begin());
  auto const* const nodes = nodes_.data();
  auto* const stack = walks_.data();
  for (auto const& root : roots_) {
    auto* const of_output = sums.data() + root.output;
    stack[0] = {root.node, 0, n_sums};
    for (std::size_t height = 1; height > 0;) {
      auto walk = stack[--height];
      while (nodes[walk.node].player >= 0) {
        auto const& node = nodes[walk.node];
        auto const joined = rank[node.player] + 1;  // x's value applies from this number of joined players on
        if (joined >= walk.end) {
          walk.node = node.other;
          continue;
        }
        if (joined > walk.begin) {
          stack[height++] = {node.other, walk.begin, joined};
          walk.begin = joined;
        }
        ++walk.node;
      }
      auto const value = nodes[walk.node].value;
      of_output[walk.begin * n_outputs] += value;
      if (walk.end < n_sums) of_output[walk.end * n_outputs] -= value;
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
