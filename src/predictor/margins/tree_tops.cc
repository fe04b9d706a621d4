#include "predictor/margins/tree_tops.h"

#include <algorithm>
#include <array>
#include <limits>

#include "predictor/forest/forest.h"
#include "predictor/forest/walk.h"

namespace kauri {
namespace {

constexpr std::int32_t kByteBits = 8;
constexpr std::int64_t kLeastSteps = 3;  // fewest steps that encode a column with a threshold

/// A node of a padded tree top: a split of the tree, or padding below a leaf.
struct PaddedNode {
  std::uint32_t node;
  bool is_real;
};

/// Returns the 2^levels - 1 nodes in level order, then the 2^levels exits. Below a leaf every row goes left, so the
/// leaf is repeated on the left; padding on the right is never reached.
std::vector<PaddedNode> PadTree(Forest const& forest, std::int64_t tree, std::int32_t levels) {
  auto const n_nodes = (std::size_t{1} << levels) - 1;
  std::vector<PaddedNode> padded(2 * n_nodes + 1, {0, true});
  for (std::size_t i = 0; i < n_nodes; ++i) {
    auto const node = padded[i].node;
    auto& left = padded[2 * i + 1];
    auto& right = padded[2 * i + 2];
    if (!padded[i].is_real || forest.IsLeaf(tree, node)) {
      padded[i].is_real = false;
      left = right = {node, false};
    } else {
      auto const first = forest.Node(tree, node).left;
      left = {first, true};
      right = {first + 1, true};
    }
  }
  return padded;
}

/// Distinct thresholds of each (slot, default_left). Such a pair is a column; columns are numbered in that order, after
/// column 0 of the padded nodes.
class ColumnTable {
 public:
  explicit ColumnTable(Forest const& forest) : keys_(2 * ToSize(forest.NumSlots())), number_(keys_.size(), 0) {}

  void Add(SplitNode const& node) { keys_[Name(node)].push_back(ThresholdKey(node)); }

  void Finish(TreeTops* tree_tops) {
    tree_tops->columns.push_back({0, 0, 0, 0});
    for (std::size_t name = 0; name < keys_.size(); ++name) {
      auto& keys = keys_[name];
      if (keys.empty()) continue;
      std::sort(keys.begin(), keys.end());
      keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
      number_[name] = static_cast<std::uint32_t>(tree_tops->columns.size());
      std::int32_t bits = 0;
      while ((std::size_t{1} << bits) <= keys.size()) ++bits;
      auto const begin = tree_tops->thresholds.size();
      auto const slot = static_cast<std::uint32_t>(name / 2);
      auto const default_left = name % 2 != 0;
      tree_tops->columns.push_back(
          {slot, default_left ? 0U : static_cast<std::uint32_t>(keys.size()), bits, static_cast<std::int64_t>(begin)});
      tree_tops->thresholds.insert(tree_tops->thresholds.end(), keys.begin(), keys.end());
      tree_tops->thresholds.resize(begin + (std::size_t{1} << bits) - 1, kNeverRight);
      largest_ = std::max(largest_, keys.size());
      tree_tops->encode_steps += 2 + bits;
    }
  }
  std::size_t LargestColumn() const { return largest_; }
  std::uint32_t Column(SplitNode const& node) const { return number_[Name(node)]; }
  /// Returns the number of the column's thresholds below the threshold of `node`.
  std::int64_t Rank(SplitNode const& node) const {
    auto const& keys = keys_[Name(node)];
    return std::lower_bound(keys.begin(), keys.end(), ThresholdKey(node)) - keys.begin();
  }

 private:
  static std::size_t Name(SplitNode const& node) { return 2 * std::size_t{node.slot} + (node.default_left ? 1 : 0); }
  static std::int32_t ThresholdKey(SplitNode const& node) { return node.key - (node.default_left ? 1 : 0); }

  std::vector<std::vector<std::int32_t>> keys_;  ///< by slot and default_left
  std::vector<std::uint32_t> number_;
  std::size_t largest_ = 0;
};

void AppendExit(Forest const& forest, std::int64_t tree, std::uint32_t node, TreeTops* tree_tops) {
  tree_tops->exit_node.push_back(node);
  tree_tops->exit_value.push_back(forest.leaf_value[forest.tree_begin[tree] + node]);
}

void PadExits(TreeTops* tree_tops) {
  auto const& tree = tree_tops->trees.back();
  auto const n_exits = ToSize(tree.exit_begin + std::max(std::int64_t{1} << tree.levels, kMinExits));
  tree_tops->exit_node.resize(n_exits, 0);
  tree_tops->exit_value.resize(n_exits, 0.0F);
}

void AppendConditions(Forest const& forest, std::int64_t tree, std::vector<SplitNode> const& conditions,
                      ColumnTable const& table, std::int32_t bias, TreeTops* tree_tops) {
  auto const levels = static_cast<std::int32_t>(conditions.size());
  tree_tops->trees.push_back({levels, false, true, static_cast<std::int64_t>(tree_tops->column.size()),
                              static_cast<std::int64_t>(tree_tops->exit_node.size())});
  for (auto const& condition : conditions) {
    tree_tops->column.push_back(table.Column(condition));
    tree_tops->rank.push_back(static_cast<std::int16_t>(table.Rank(condition) - bias));
  }
  for (std::uint32_t exit = 0; exit < std::uint32_t{1} << levels; ++exit) {
    AppendExit(forest, tree, LeafOfAnswers(forest, tree, conditions, exit), tree_tops);
  }
  PadExits(tree_tops);
}

void AppendTree(Forest const& forest, std::int64_t tree, ColumnTable const& table, std::int32_t bias,
                TreeTops* tree_tops) {
  auto const levels = std::min(forest.tree_depth[tree], kTreeTopsLevels);
  auto const padded = PadTree(forest, tree, levels);
  auto const n_nodes = (std::size_t{1} << levels) - 1;
  tree_tops->trees.push_back({levels, forest.tree_depth[tree] > kTreeTopsLevels, false,
                              static_cast<std::int64_t>(tree_tops->column.size()),
                              static_cast<std::int64_t>(tree_tops->exit_node.size())});
  for (std::size_t i = 0; i < n_nodes; ++i) {
    auto const node = forest.Node(tree, padded[i].node);
    tree_tops->column.push_back(padded[i].is_real ? table.Column(node) : 0);
    auto const rank = padded[i].is_real ? table.Rank(node) : 0;
    tree_tops->rank.push_back(static_cast<std::int16_t>(rank - bias));
  }
  for (std::size_t i = n_nodes; i < padded.size(); ++i) AppendExit(forest, tree, padded[i].node, tree_tops);
  PadExits(tree_tops);
}

/// Sets counts[lane] to the number of thresholds <= keys[lane], among 2^bits - 1 ascending ones. Branch-free.
void CountNotAbove(std::int32_t const* thresholds, std::int32_t bits, std::int32_t const* keys, std::uint32_t* counts) {
  std::fill(counts, counts + kWalkLanes, 0U);
  for (auto bit = bits - 1; bit >= 0; --bit) {
    auto const* middle = thresholds + (std::int64_t{1} << bit) - 1;
    for (std::int64_t lane = 0; lane < kWalkLanes; ++lane) {
      counts[lane] += static_cast<std::uint32_t>(middle[counts[lane]] <= keys[lane]) << bit;
    }
  }
}

template <typename Code>
void EncodeColumn(TreeTops const& tree_tops, TreeTopsColumn const& column, std::int32_t const* keys,
                  std::int64_t n_rows, std::int64_t n_slots, Code* codes) {
  constexpr std::int64_t kBias = std::numeric_limits<Code>::min();
  auto const* thresholds = tree_tops.thresholds.data() + column.threshold_begin;
  for (std::int64_t row = 0; row < n_rows; row += kWalkLanes) {
    auto const* lane_keys = keys + row * n_slots + column.slot * kWalkLanes;
    std::uint32_t counts[kWalkLanes];
    CountNotAbove(thresholds, column.bits, lane_keys, counts);
    for (std::int64_t lane = 0; lane < kWalkLanes; ++lane) {
      auto const count = lane_keys[lane] == kMissingKey ? column.missing_count : counts[lane];
      codes[row + lane] = static_cast<Code>(count + kBias);
    }
  }
}

template <typename Code>
void EncodeAs(TreeTops const& tree_tops, std::int32_t const* keys, std::int64_t n_rows, std::int64_t n_slots,
              Code* codes) {
  std::fill(codes, codes + n_rows, std::numeric_limits<Code>::min());
  for (std::size_t column = 1; column < tree_tops.columns.size(); ++column) {
    codes += n_rows;
    EncodeColumn(tree_tops, tree_tops.columns[column], keys, n_rows, n_slots, codes);
  }
}

/// Returns a lower bound of the steps that encode a row; stops counting at `enough`, the steps that encoding would
/// save.
std::int64_t LeastEncodeSteps(Forest const& forest, std::vector<std::int64_t> const& groups, std::int64_t enough) {
  std::vector<std::uint8_t> seen(2 * ToSize(forest.NumSlots()), 0);
  std::int64_t steps = 0;
  for (auto const tree : groups) {
    auto const levels = std::min(forest.tree_depth[tree], kTreeTopsLevels);
    auto const padded = PadTree(forest, tree, levels);
    for (std::size_t i = 0; i < (std::size_t{1} << levels) - 1; ++i) {
      if (steps >= enough) return steps;
      if (!padded[i].is_real) continue;
      auto const node = forest.Node(tree, padded[i].node);
      auto& is_seen = seen[2 * node.slot + (node.default_left ? 1 : 0)];
      steps += is_seen != 0 ? 0 : kLeastSteps;
      is_seen = 1;
    }
  }
  return steps;
}

/// Makes the tree tops for single rows, from the tree of each traversal.
RowTreeTops MakeRowTreeTops(Forest const& forest, TreeTops const& tree_tops, ColumnTable const& table) {
  if (tree_tops.code_bytes != 1 || tree_tops.columns.size() > kMaxRowColumns) return {};
  if (!forest.model_tree.empty() && forest.vectors.IsEmpty()) return {};
  auto const trees_per_walk = forest.TreesPerWalk();
  auto const n_walks = forest.NumTrees() / trees_per_walk;
  auto const size = ToSize(n_walks * kRowTreeTopsNodes);
  RowTreeTops row{std::vector<std::uint8_t>(size, 0), std::vector<std::int8_t>(size, -128), {}};
  auto const is_deeper = [](TreeTopsTree const& tree) { return tree.has_deeper; };
  auto const is_deep = std::any_of(tree_tops.trees.begin(), tree_tops.trees.end(), is_deeper);
  if (!is_deep && forest.vectors.IsEmpty()) row.value.resize(size);
  for (std::int64_t walk = 0; walk < n_walks; ++walk) {
    auto const tree = walk * trees_per_walk;
    auto const padded = PadTree(forest, tree, kTreeTopsLevels);
    for (std::size_t i = 0; i < (std::size_t{1} << kTreeTopsLevels) - 1; ++i) {
      if (!padded[i].is_real) continue;
      auto const node = forest.Node(tree, padded[i].node);
      row.column[std::int64_t{walk * kRowTreeTopsNodes} + i] = static_cast<std::uint8_t>(table.Column(node));
      row.rank[std::int64_t{walk * kRowTreeTopsNodes} + i] = static_cast<std::int8_t>(table.Rank(node) - 128);
    }
    if (row.value.empty()) continue;
    for (std::size_t exit = 0; exit < kRowTreeTopsNodes; ++exit) {
      auto const leaf = padded[kRowTreeTopsNodes - 1 + exit].node;
      row.value[std::int64_t{walk * kRowTreeTopsNodes} + exit] = forest.leaf_value[forest.tree_begin[tree] + leaf];
    }
  }
  return row;
}

}  // namespace

TreeTops BuildTreeTops(Forest const& forest) {
  TreeTops tree_tops;
  if (forest.has_categorical) return tree_tops;
  ColumnTable table(forest);
  auto const groups = forest.GroupsOf({0, forest.NumTrees()});
  for (auto const tree : groups) {
    auto const levels = std::min(forest.tree_depth[tree], kTreeTopsLevels);
    auto const padded = PadTree(forest, tree, levels);
    for (std::size_t i = 0; i < (std::size_t{1} << levels) - 1; ++i) {
      if (padded[i].is_real) table.Add(forest.Node(tree, padded[i].node));
    }
  }
  table.Finish(&tree_tops);
  if (table.LargestColumn() > 65535) return TreeTops{};
  tree_tops.code_bytes = table.LargestColumn() > 255 ? 2 : 1;
  auto const bias = tree_tops.code_bytes == 1 ? 128 : 32768;
  auto const may_ask = MayUseConditions(forest);
  for (auto const tree : groups) {
    auto const conditions = may_ask ? ConditionsOf(forest, tree) : std::vector<SplitNode>();
    if (conditions.empty()) {
      AppendTree(forest, tree, table, bias, &tree_tops);
    } else {
      AppendConditions(forest, tree, conditions, table, bias, &tree_tops);
    }
    tree_tops.trees.resize(forest.GroupEnd(tree), tree_tops.trees.back());
  }
  tree_tops.row = MakeRowTreeTops(forest, tree_tops, table);
  return tree_tops;
}

TreeTops TreeTopsIfItPays(Forest const& forest) {
  if (forest.has_categorical) return {};
  auto const groups = forest.GroupsOf({0, forest.NumTrees()});
  std::int64_t saved_steps = 0;
  for (auto const tree : groups) saved_steps += std::min(forest.tree_depth[tree], kTreeTopsLevels);
  return LeastEncodeSteps(forest, groups, saved_steps) >= saved_steps ? TreeTops{} : BuildTreeTops(forest);
}

bool TreeTopsPays(Forest const& forest, TreeTops const& tree_tops, TreeRange trees) {
  if (tree_tops.code_bytes == 0) return false;
  std::int64_t saved_steps = 0;
  for (auto tree = trees.begin; tree < trees.end; tree = forest.GroupEnd(tree)) {
    saved_steps += tree_tops.trees[tree].levels;
  }
  return saved_steps > tree_tops.encode_steps;
}

void EncodeRows(TreeTops const& tree_tops, std::int32_t const* keys, std::int64_t n_rows, std::int64_t n_slots,
                void* codes) {
  if (tree_tops.code_bytes == 1) {
    EncodeAs(tree_tops, keys, n_rows, n_slots, static_cast<std::int8_t*>(codes));
  } else {
    EncodeAs(tree_tops, keys, n_rows, n_slots, static_cast<std::int16_t*>(codes));
  }
}

void EncodeRow(TreeTops const& tree_tops, std::int32_t const* keys, std::int8_t* codes) {
  std::array<std::uint32_t, kMaxRowColumns> counts{};
  auto const n_columns = tree_tops.columns.size();
  for (auto bit = kByteBits - 1; bit >= 0; --bit) {  // one step of all searches at a time, so that their loads overlap
    for (std::size_t i = 1; i < n_columns; ++i) {
      auto const& column = tree_tops.columns[i];
      if (bit >= column.bits) continue;
      auto const* middle = tree_tops.thresholds.data() + column.threshold_begin + (std::int64_t{1} << bit) - 1;
      counts[i] += static_cast<std::uint32_t>(middle[counts[i]] <= keys[column.slot]) << bit;
    }
  }
  codes[0] = std::numeric_limits<std::int8_t>::min();
  for (std::size_t i = 1; i < n_columns; ++i) {
    auto const& column = tree_tops.columns[i];
    auto const count = keys[column.slot] == kMissingKey ? column.missing_count : counts[i];
    codes[i] = static_cast<std::int8_t>(static_cast<std::int32_t>(count) - 128);
  }
}

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
