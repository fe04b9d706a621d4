#include "predictor/margins/crown.h"

#include <algorithm>
#include <array>
#include <limits>

#include "predictor/forest/forest.h"
#include "predictor/forest/walk.h"
#include "predictor/margins/crown_questions.h"

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

  void Finish(Crown* crown) {
    crown->columns.push_back({0, 0, 0, 0});
    for (std::size_t name = 0; name < keys_.size(); ++name) {
      auto& keys = keys_[name];
      if (keys.empty()) continue;
      std::sort(keys.begin(), keys.end());
      keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
      number_[name] = static_cast<std::uint32_t>(crown->columns.size());
      std::int32_t bits = 0;
      while ((std::size_t{1} << bits) <= keys.size()) ++bits;
      auto const begin = crown->thresholds.size();
      auto const slot = static_cast<std::uint32_t>(name / 2);
      auto const default_left = name % 2 != 0;
      crown->columns.push_back(
          {slot, default_left ? 0U : static_cast<std::uint32_t>(keys.size()), bits, static_cast<std::int64_t>(begin)});
      crown->thresholds.insert(crown->thresholds.end(), keys.begin(), keys.end());
      crown->thresholds.resize(begin + (std::size_t{1} << bits) - 1, kNeverRight);
      largest_ = std::max(largest_, keys.size());
      crown->encode_steps += 2 + bits;
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

void AppendExit(Forest const& forest, std::int64_t tree, std::uint32_t node, Crown* crown) {
  crown->exit_node.push_back(node);
  crown->exit_value.push_back(forest.leaf_value[forest.tree_begin[tree] + node]);
}

void PadExits(Crown* crown) {
  auto const& tree = crown->trees.back();
  auto const n_exits = ToSize(tree.exit_begin + std::max(std::int64_t{1} << tree.levels, kMinExits));
  crown->exit_node.resize(n_exits, 0);
  crown->exit_value.resize(n_exits, 0.0F);
}

void AppendQuestions(Forest const& forest, std::int64_t tree, std::vector<SplitNode> const& questions,
                     ColumnTable const& table, std::int32_t bias, Crown* crown) {
  auto const levels = static_cast<std::int32_t>(questions.size());
  crown->trees.push_back({levels, false, true, static_cast<std::int64_t>(crown->column.size()),
                          static_cast<std::int64_t>(crown->exit_node.size())});
  for (auto const& question : questions) {
    crown->column.push_back(table.Column(question));
    crown->rank.push_back(static_cast<std::int16_t>(table.Rank(question) - bias));
  }
  for (std::uint32_t exit = 0; exit < std::uint32_t{1} << levels; ++exit) {
    AppendExit(forest, tree, LeafOfAnswers(forest, tree, questions, exit), crown);
  }
  PadExits(crown);
}

void AppendTree(Forest const& forest, std::int64_t tree, ColumnTable const& table, std::int32_t bias, Crown* crown) {
  auto const levels = std::min(forest.tree_depth[tree], kCrownLevels);
  auto const padded = PadTree(forest, tree, levels);
  auto const n_nodes = (std::size_t{1} << levels) - 1;
  crown->trees.push_back({levels, forest.tree_depth[tree] > kCrownLevels, false,
                          static_cast<std::int64_t>(crown->column.size()),
                          static_cast<std::int64_t>(crown->exit_node.size())});
  for (std::size_t i = 0; i < n_nodes; ++i) {
    auto const node = forest.Node(tree, padded[i].node);
    crown->column.push_back(padded[i].is_real ? table.Column(node) : 0);
    auto const rank = padded[i].is_real ? table.Rank(node) : 0;
    crown->rank.push_back(static_cast<std::int16_t>(rank - bias));
  }
  for (std::size_t i = n_nodes; i < padded.size(); ++i) AppendExit(forest, tree, padded[i].node, crown);
  PadExits(crown);
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
void EncodeColumn(Crown const& crown, CrownColumn const& column, std::int32_t const* keys, std::int64_t n_rows,
                  std::int64_t n_slots, Code* codes) {
  constexpr std::int64_t kBias = std::numeric_limits<Code>::min();
  auto const* thresholds = crown.thresholds.data() + column.threshold_begin;
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
void EncodeAs(Crown const& crown, std::int32_t const* keys, std::int64_t n_rows, std::int64_t n_slots, Code* codes) {
  std::fill(codes, codes + n_rows, std::numeric_limits<Code>::min());
  for (std::size_t column = 1; column < crown.columns.size(); ++column) {
    codes += n_rows;
    EncodeColumn(crown, crown.columns[column], keys, n_rows, n_slots, codes);
  }
}

/// Returns a lower bound of the steps that encode a row; stops counting at `enough`, the steps that encoding would
/// save.
std::int64_t LeastEncodeSteps(Forest const& forest, std::vector<std::int64_t> const& groups, std::int64_t enough) {
  std::vector<std::uint8_t> seen(2 * ToSize(forest.NumSlots()), 0);
  std::int64_t steps = 0;
  for (auto const tree : groups) {
    auto const levels = std::min(forest.tree_depth[tree], kCrownLevels);
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
RowCrown MakeRowCrown(Forest const& forest, Crown const& crown, ColumnTable const& table) {
  if (crown.code_bytes != 1 || crown.columns.size() > kMaxRowColumns) return {};
  if (!forest.model_tree.empty() && forest.vectors.IsEmpty()) return {};
  auto const trees_per_walk = forest.TreesPerWalk();
  auto const n_walks = forest.NumTrees() / trees_per_walk;
  auto const size = ToSize(n_walks * kRowCrownNodes);
  RowCrown row{std::vector<std::uint8_t>(size, 0), std::vector<std::int8_t>(size, -128), {}};
  auto const is_deeper = [](CrownTree const& tree) { return tree.has_deeper; };
  auto const is_deep = std::any_of(crown.trees.begin(), crown.trees.end(), is_deeper);
  if (!is_deep && forest.vectors.IsEmpty()) row.value.resize(size);
  for (std::int64_t walk = 0; walk < n_walks; ++walk) {
    auto const tree = walk * trees_per_walk;
    auto const padded = PadTree(forest, tree, kCrownLevels);
    for (std::size_t i = 0; i < (std::size_t{1} << kCrownLevels) - 1; ++i) {
      if (!padded[i].is_real) continue;
      auto const node = forest.Node(tree, padded[i].node);
      row.column[std::int64_t{walk * kRowCrownNodes} + i] = static_cast<std::uint8_t>(table.Column(node));
      row.rank[std::int64_t{walk * kRowCrownNodes} + i] = static_cast<std::int8_t>(table.Rank(node) - 128);
    }
    if (row.value.empty()) continue;
    for (std::size_t exit = 0; exit < kRowCrownNodes; ++exit) {
      auto const leaf = padded[kRowCrownNodes - 1 + exit].node;
      row.value[std::int64_t{walk * kRowCrownNodes} + exit] = forest.leaf_value[forest.tree_begin[tree] + leaf];
    }
  }
  return row;
}

}  // namespace

Crown BuildCrown(Forest const& forest) {
  Crown crown;
  if (forest.has_categorical) return crown;
  ColumnTable table(forest);
  auto const groups = forest.GroupsOf({0, forest.NumTrees()});
  for (auto const tree : groups) {
    auto const levels = std::min(forest.tree_depth[tree], kCrownLevels);
    auto const padded = PadTree(forest, tree, levels);
    for (std::size_t i = 0; i < (std::size_t{1} << levels) - 1; ++i) {
      if (padded[i].is_real) table.Add(forest.Node(tree, padded[i].node));
    }
  }
  table.Finish(&crown);
  if (table.LargestColumn() > 65535) return Crown{};
  crown.code_bytes = table.LargestColumn() > 255 ? 2 : 1;
  auto const bias = crown.code_bytes == 1 ? 128 : 32768;
  auto const may_ask = MayAskQuestions(forest);
  for (auto const tree : groups) {
    auto const questions = may_ask ? QuestionsOf(forest, tree) : std::vector<SplitNode>();
    if (questions.empty()) {
      AppendTree(forest, tree, table, bias, &crown);
    } else {
      AppendQuestions(forest, tree, questions, table, bias, &crown);
    }
    crown.trees.resize(forest.GroupEnd(tree), crown.trees.back());
  }
  crown.row = MakeRowCrown(forest, crown, table);
  return crown;
}

Crown CrownIfItPays(Forest const& forest) {
  if (forest.has_categorical) return {};
  auto const groups = forest.GroupsOf({0, forest.NumTrees()});
  std::int64_t saved_steps = 0;
  for (auto const tree : groups) saved_steps += std::min(forest.tree_depth[tree], kCrownLevels);
  return LeastEncodeSteps(forest, groups, saved_steps) >= saved_steps ? Crown{} : BuildCrown(forest);
}

bool CrownPays(Forest const& forest, Crown const& crown, TreeRange trees) {
  if (crown.code_bytes == 0) return false;
  std::int64_t saved_steps = 0;
  for (auto tree = trees.begin; tree < trees.end; tree = forest.GroupEnd(tree)) {
    saved_steps += crown.trees[tree].levels;
  }
  return saved_steps > crown.encode_steps;
}

void EncodeRows(Crown const& crown, std::int32_t const* keys, std::int64_t n_rows, std::int64_t n_slots, void* codes) {
  if (crown.code_bytes == 1) {
    EncodeAs(crown, keys, n_rows, n_slots, static_cast<std::int8_t*>(codes));
  } else {
    EncodeAs(crown, keys, n_rows, n_slots, static_cast<std::int16_t*>(codes));
  }
}

void EncodeRow(Crown const& crown, std::int32_t const* keys, std::int8_t* codes) {
  std::array<std::uint32_t, kMaxRowColumns> counts{};
  auto const n_columns = crown.columns.size();
  for (auto bit = kByteBits - 1; bit >= 0; --bit) {  // one step of all searches at a time, so that their loads overlap
    for (std::size_t i = 1; i < n_columns; ++i) {
      auto const& column = crown.columns[i];
      if (bit >= column.bits) continue;
      auto const* middle = crown.thresholds.data() + column.threshold_begin + (std::int64_t{1} << bit) - 1;
      counts[i] += static_cast<std::uint32_t>(middle[counts[i]] <= keys[column.slot]) << bit;
    }
  }
  codes[0] = std::numeric_limits<std::int8_t>::min();
  for (std::size_t i = 1; i < n_columns; ++i) {
    auto const& column = crown.columns[i];
    auto const count = keys[column.slot] == kMissingKey ? column.missing_count : counts[i];
    codes[i] = static_cast<std::int8_t>(static_cast<std::int32_t>(count) - 128);
  }
}

}  // namespace kauri
