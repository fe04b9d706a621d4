#include "predictor/lanes/path_pairs.h"

#include <algorithm>
#include <limits>

#include "common/memory_size.h"
#include "common/threads/parallel_for.h"

namespace kauri {
namespace {

/// Number of trees whose pairs are collected before they are merged.
constexpr std::int64_t kTreesAtOnce = 256;

constexpr std::uint32_t kNoSlot = 0xFFFFFFFFU;

/// Key of a pair: (output * n_slots + slot) << 32 | other slot, so that keys sort like pairs.
using PairKey = std::uint64_t;

void SortUnique(std::vector<PairKey>* keys) {
  std::sort(keys->begin(), keys->end());
  keys->erase(std::unique(keys->begin(), keys->end()), keys->end());
}

/// Returns the keys of a tree's pairs. A split below another split on its slot is skipped, because it adds no pair:
/// splits between the two are paired with the slot anyway, and splits above both are paired at the upper one.
std::vector<PairKey> PairsOfTree(Forest const& forest, std::int64_t tree, PathPairs const& sizes) {
  auto const n_nodes = ToSize(forest.tree_begin[tree + 1] - forest.tree_begin[tree]);
  auto const first_line = forest.output_of_tree[tree] * sizes.n_slots;
  std::vector<std::uint32_t> parent(n_nodes, 0);
  std::vector<std::uint32_t> slot(n_nodes, kNoSlot);
  std::vector<std::uint32_t> above;
  std::vector<PairKey> keys;
  for (std::uint32_t node = 0; node < n_nodes; ++node) {
    auto const split = forest.Node(tree, node);
    if (split.left == node) continue;
    slot[node] = split.slot;
    parent[split.left] = parent[split.left + 1] = node;
    above.clear();
    auto repeats = false;
    for (auto upper = node; upper != 0 && !repeats;) {
      upper = parent[upper];
      repeats = slot[upper] == split.slot;
      above.push_back(slot[upper]);
    }
    if (repeats) continue;
    for (auto const other : above) {
      auto const line = static_cast<PairKey>(first_line + std::min(other, split.slot));
      keys.push_back(line << 32U | std::max(other, split.slot));
    }
  }
  SortUnique(&keys);
  return keys;
}

void MarkUsed(Forest const& forest, TreeRange trees, PathPairs* pairs) {
  pairs->is_used.assign(SizeInMemory(pairs->n_outputs * pairs->n_slots), 0);
  for (auto tree = trees.begin; tree < trees.end; ++tree) {
    auto const first_line = forest.output_of_tree[tree] * pairs->n_slots;
    auto const n_nodes = forest.tree_begin[tree + 1] - forest.tree_begin[tree];
    for (std::int64_t node = 0; node < n_nodes; ++node) {
      auto const split = forest.Node(tree, static_cast<std::uint32_t>(node));
      if (split.left != node) pairs->is_used[first_line + split.slot] = 1;
    }
  }
}

/// Returns the keys of all trees' pairs, ascending.
std::vector<PairKey> FindKeys(Context const& ctx, Forest const& forest, TreeRange trees, PathPairs const& sizes) {
  std::vector<PairKey> all;
  for (auto begin = trees.begin; begin < trees.end; begin += kTreesAtOnce) {
    auto const n_trees = std::min(kTreesAtOnce, trees.end - begin);
    std::vector<std::vector<PairKey>> of_tree(n_trees);
    ParallelFor(ctx, n_trees, [&](std::int64_t t) { of_tree[t] = PairsOfTree(forest, begin + t, sizes); });
    std::vector<PairKey> found;
    for (auto const& keys : of_tree) found.insert(found.end(), keys.begin(), keys.end());
    SortUnique(&found);
    std::vector<PairKey> merged;
    std::set_union(all.begin(), all.end(), found.begin(), found.end(), std::back_inserter(merged));
    all = std::move(merged);
  }
  return all;
}

}  // namespace

std::int32_t PathPairs::Number(std::int64_t output, std::uint32_t a, std::uint32_t b) const {
  auto const line = ToSize(output * n_slots + std::min(a, b));
  auto const end = other.begin() + begin[line + 1];
  auto const found = std::lower_bound(other.begin() + begin[line], end, std::max(a, b));
  return found == end || *found != std::max(a, b) ? -1 : static_cast<std::int32_t>(found - other.begin());
}

PathPairs FindPathPairs(Context const& ctx, Forest const& forest, TreeRange trees) {
  PathPairs pairs{forest.n_outputs, forest.NumSlots(), {}, {}, {}};
  MarkUsed(forest, trees, &pairs);
  auto const keys = FindKeys(ctx, forest, trees, pairs);
  if (keys.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    Fail(ErrorKind::kModel, "the trees have ", keys.size(), " pairs of features that share a path; at most ",
         std::numeric_limits<std::int32_t>::max(), " can be explained. Explain fewer trees at a time.");
  }
  pairs.begin.assign(SizeInMemory(pairs.n_outputs * pairs.n_slots) + 1, 0);
  for (auto const key : keys) {
    ++pairs.begin[std::int64_t{static_cast<std::int64_t>(key >> 32U)} + 1];
    pairs.other.push_back(static_cast<std::uint32_t>(key));
  }
  for (std::size_t line = 1; line < pairs.begin.size(); ++line) pairs.begin[line] += pairs.begin[line - 1];
  return pairs;
}

}  // namespace kauri
