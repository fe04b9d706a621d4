#include <algorithm>
#include <cmath>
#include <utility>

#include "predictor/forest/cover.h"
#include "predictor/lanes/shap_program.h"
#include "predictor/paths/tree_paths.h"

namespace kauri {
namespace {

/// Tolerance for the sum of siblings' cover ratios. A sum this close to 1 differs by rounding only; the ratios are
/// scaled to add up to 1.
constexpr double kRoundedRatios = 3e-7;

constexpr std::int32_t kNoSplit = -1;

/// A split of the program. Edges are named as in TreeEdges. The number of the passage edge, which every row passes
/// above a split whose ratios do not add up to 1, is its node plus the number of nodes.
struct Split {
  SplitNode test;
  std::int32_t child[2];  ///< number of a split, or kNoSplit
  float value[2];         ///< values of children that are leaves
  double weight[2];       ///< weights of the children; they add up to 1
  std::uint32_t edge[2];
  std::uint32_t earlier;   ///< earlier edge of the feature, or kNoEdge
  std::int32_t first = 0;  ///< side of the child that is visited first
  std::int32_t levels = 1;
  std::int32_t firsts = 0;  ///< maximum number of first children's values that are on the stack at a time
};

/// A key that no row has, so every row is in the interval of all other keys.
constexpr std::uint32_t kNobodysKey = 0x7F900000U;

/// Sets the interval of keys that go to the first child. Rows that go right have keys from the threshold on, with or
/// without the missing key, which is the largest.
void SetTest(Split const& split, std::int32_t first, ProgramNode* node) {
  auto const& test = split.test;
  if (test.is_categorical) {
    node->first_key = static_cast<std::uint32_t>(test.key);
    return;
  }
  if (test.key == kNeverRight) {
    node->first_key = kNobodysKey + 1U;
    node->first_range = 0xFFFFFFFFU;
    return;
  }
  auto const threshold = static_cast<std::uint32_t>(test.key - (test.default_left ? 1 : 0));
  auto const range = static_cast<std::uint32_t>(kMissingKey) - threshold + (test.default_left ? 0U : 1U);
  node->first_key = first == 1 ? threshold : threshold + range;
  node->first_range = first == 1 ? range : 0U - range;
}

constexpr std::int32_t RegisterLevels(bool with_pairs) { return with_pairs ? 1 : kRegisterLevels; }

/// The splits of a tree; lower splits come after higher ones.
class SplitTable {
 public:
  SplitTable(Forest const& forest, std::int64_t tree, std::int32_t register_levels, PathCategories* categories)
      : forest_(forest), tree_(tree), edges_(FindEdges(forest, tree, categories)) {
    auto const n_nodes = static_cast<std::uint32_t>(edges_.parent.size());
    zero_.assign(2 * std::size_t{n_nodes}, 1.0);
    std::vector<std::int32_t> split_of_node(n_nodes, kNoSplit);
    for (std::uint32_t node = 0; node < n_nodes; ++node) {
      if (!forest.IsLeaf(tree, node)) split_of_node[node] = AddNode(node);
      n_features_ = std::max(n_features_, edges_.n_features[node]);
    }
    for (auto& split : splits_) {
      for (auto side : {0, 1}) {
        if (split.child[side] == kToBeFound) split.child[side] = split_of_node[split.edge[side]];
      }
    }
    for (auto split = splits_.rbegin(); split != splits_.rend(); ++split) OrderChildren(&*split, register_levels);
  }

  std::vector<Split> const& Splits() const { return splits_; }
  std::int32_t NumFeatures() const { return n_features_; }
  std::size_t NumEdges() const { return zero_.size(); }
  double ZeroFraction(std::uint32_t edge) const { return zero_[edge]; }
  /// Returns the box of an edge; a passage edge has the box of the edge above.
  PathFeature Feature(std::uint32_t edge) const {
    auto const n_nodes = edges_.parent.size();
    if (edge < n_nodes) return edges_.feature[edge];
    auto const split = forest_.Node(tree_, static_cast<std::uint32_t>(edge - n_nodes));
    auto const earlier = edges_.earlier[split.left];
    return earlier == kNoEdge ? WholeFeature(split.slot) : edges_.feature[earlier];
  }

 private:
  static constexpr std::int32_t kToBeFound = -2;

  /// Chooses the child that is visited first: the child that needs more stack, because one more value waits on the
  /// stack while the second child is visited. So the stack holds at most the logarithm of the number of leaves (Sethi
  /// and Ullman 1970). A child that is a leaf comes second.
  void OrderChildren(Split* split, std::int32_t register_levels) const {
    using Need = std::pair<std::int32_t, std::int32_t>;
    auto const need = [&](std::int32_t child) {
      return child == kNoSplit ? Need{-1, 0} : Need{splits_[child].firsts, splits_[child].levels};
    };
    auto const left = need(split->child[0]);
    auto const right = need(split->child[1]);
    split->first = right > left ? 1 : 0;
    split->levels = 1 + std::max(left.second, right.second);
    if (split->levels > register_levels)
      split->firsts = std::max(std::max(left, right).first, std::min(left, right).first + 1);
  }

  double Ratio(std::uint32_t node, std::uint32_t child) const {
    auto const* cover = forest_.cover.data() + forest_.tree_begin[tree_];
    return CoverRatio(cover[node], cover[child]);
  }

  /// Adds the split of a node, and a passage above it if needed. Returns the number of the upper one.
  std::int32_t AddNode(std::uint32_t node) {
    auto const test = forest_.Node(tree_, node);
    double ratio[2] = {Ratio(node, test.left), Ratio(node, test.left + 1)};
    auto const sum = ratio[0] + ratio[1];
    auto const is_rounded = std::abs(sum - 1.0) <= kRoundedRatios;
    auto const number = static_cast<std::int32_t>(splits_.size());
    Split split{test, {kToBeFound, kToBeFound},   {0.0F, 0.0F},
                {},   {test.left, test.left + 1}, edges_.earlier[test.left]};
    auto const above = split.earlier == kNoEdge ? 1.0 : zero_[split.earlier];
    for (std::uint32_t side = 0; side < 2; ++side) {
      auto const child = test.left + side;
      split.weight[side] = sum > 0.0 ? ratio[side] / sum : 0.5;
      zero_[child] = above * (is_rounded ? split.weight[side] : ratio[side]);
      split.value[side] = forest_.leaf_value[(forest_.tree_begin[tree_]) + child];
    }
    if (!is_rounded) split.earlier = AddPassage(node, test.slot, sum, split.earlier);
    splits_.push_back(split);
    return number;
  }

  /// Adds a split that every row passes to the left, with the fraction `sum` of the cover. Returns its edge.
  std::uint32_t AddPassage(std::uint32_t node, std::uint32_t slot, double sum, std::uint32_t earlier) {
    auto const edge = static_cast<std::uint32_t>(edges_.parent.size()) + node;
    zero_[edge] = (earlier == kNoEdge ? 1.0 : zero_[earlier]) * sum;
    auto const next = static_cast<std::int32_t>(splits_.size()) + 1;
    splits_.push_back({{kNeverRight, slot, 0, true, false},
                       {next, kNoSplit},
                       {0.0F, 0.0F},
                       {sum, 1.0 - sum},
                       {edge, kNoEdge},
                       earlier});
    return edge;
  }

  Forest const& forest_;
  std::int64_t tree_;
  TreeEdges edges_;
  std::vector<Split> splits_;
  std::vector<double> zero_;  ///< by edge
  std::int32_t n_features_ = 0;
};

/// Lists the visits of the splits.
class ProgramLister {
 public:
  /// pairs: nullptr for contributions only.
  ProgramLister(SplitTable const& table, std::int32_t output, PathPairs const* pairs, CompiledTree* to)
      : table_(table), output_(output), pairs_(pairs), to_(*to), state_of_edge_(table.NumEdges(), -1) {
    if (pairs != nullptr) to_.partner_begin.assign(1, 0);
  }

  void Run() {
    if (table_.Splits().empty()) return;
    Enter(0);
    while (!open_.empty()) {
      auto& visit = open_.back();
      auto const second = table_.Splits()[visit.split].child[1 - visit.first];
      LeaveEdge(visit);
      if (visit.in_second || second == kNoSplit) {
        List(visit.split, visit.in_second ? ProgramStep::kCombine : ProgramStep::kCombineLeaf, true);
        n_firsts_ -= visit.in_second ? 1 : 0;
        open_.pop_back();
      } else {
        List(visit.split, ProgramStep::kSecond, false);
        visit.in_second = true;
        to_.saved_firsts = std::max(to_.saved_firsts, ++n_firsts_);
        EnterEdge(&visit, 1 - visit.first);
        Enter(second);
      }
    }
  }

 private:
  /// A split between kDown and its end.
  struct Visit {
    std::int32_t split;
    std::int32_t first;  ///< side of the first child
    bool in_second = false;
    std::size_t place = 0;           ///< index in path_ of the entered edge
    std::uint32_t before = kNoEdge;  ///< edge at that index before
  };

  void Enter(std::int32_t number) {
    while (table_.Splits()[number].levels > RegisterLevels(pairs_ != nullptr)) {
      auto const& split = table_.Splits()[number];
      open_.push_back({number, split.first});
      List(number, ProgramStep::kDown, false);
      to_.saved_downs = std::max(to_.saved_downs, static_cast<std::int32_t>(open_.size()));
      EnterEdge(&open_.back(), open_.back().first);
      number = split.child[open_.back().first];
    }
    ListSubtree(number);
  }

  /// Lists a subtree of at most kRegisterLevels levels in preorder.
  void ListSubtree(std::int32_t number) {
    auto const& split = table_.Splits()[number];
    List(number, ProgramStep::kSubtree, true);
    auto const first = split.first;
    for (auto const side : {first, 1 - first}) {
      if (split.child[side] != kNoSplit) ListSubtree(split.child[side]);
    }
  }

  void List(std::int32_t number, ProgramStep step, bool has_contribution) {
    auto const& split = table_.Splits()[number];
    auto const first = split.first;
    ProgramNode node{};
    SetTest(split, first, &node);
    node.first_weight = static_cast<float>(split.weight[first]);
    node.first_value = split.value[first];
    node.second_value = split.value[1 - first];
    auto const flag = [](bool is_set, std::uint32_t bit) { return is_set ? bit : 0U; };
    node.layout = static_cast<std::uint32_t>(step) | flag(split.test.default_left, ProgramNode::kDefaultLeft) |
                  flag(split.test.is_categorical, ProgramNode::kCategorical) |
                  flag(first == 1, ProgramNode::kFirstIsRight) |
                  flag(split.child[first] != kNoSplit, ProgramNode::kFirstIsSplit) |
                  flag(split.child[1 - first] != kNoSplit, ProgramNode::kSecondIsSplit) |
                  flag(split.earlier != kNoEdge, ProgramNode::kRepeats);
    if (split.earlier != kNoEdge) node.earlier = StateOf(split.earlier);
    to_.slots.push_back(split.test.slot);
    to_.nodes.push_back(node);
    if (pairs_ == nullptr) return;
    if (has_contribution) ListPartners(split);
    to_.partner_begin.push_back(static_cast<std::int64_t>(to_.partners.size()));
  }

  void ListPartners(Split const& split) {
    for (auto const edge : path_) {
      if (edge == split.earlier) continue;
      auto const state = StateOf(edge);
      to_.partners.push_back({state, pairs_->Number(output_, split.test.slot, to_.states[state].Slot())});
    }
  }

  std::int32_t StateOf(std::uint32_t edge) {
    auto& state = state_of_edge_[edge];
    if (state < 0) {
      state = static_cast<std::int32_t>(to_.states.size());
      to_.states.push_back(table_.Feature(edge));
      to_.zero_fractions.push_back(table_.ZeroFraction(edge));
    }
    return state;
  }

  /// Replaces the earlier edge of the feature in path_ by the child's edge.
  void EnterEdge(Visit* visit, std::int32_t side) {
    if (pairs_ == nullptr) return;
    auto const& split = table_.Splits()[visit->split];
    auto const found = std::find(path_.begin(), path_.end(), split.earlier);
    visit->place = static_cast<std::size_t>(found - path_.begin());
    visit->before = found == path_.end() ? kNoEdge : *found;
    if (found == path_.end()) path_.push_back(kNoEdge);
    path_[visit->place] = split.edge[side];
  }
  void LeaveEdge(Visit const& visit) {
    if (pairs_ == nullptr) return;
    if (visit.before == kNoEdge) {
      path_.pop_back();
    } else {
      path_[visit.place] = visit.before;
    }
  }

  SplitTable const& table_;
  std::int32_t output_;
  PathPairs const* pairs_;
  CompiledTree& to_;
  std::vector<std::int32_t> state_of_edge_;
  std::vector<Visit> open_;
  std::vector<std::uint32_t> path_;  ///< lowest edge of each feature above; only with pairs
  std::int32_t n_firsts_ = 0;
};

}  // namespace

CompiledTree CompileTree(Forest const& forest, std::int64_t tree, PathPairs const* pairs, PathCategories* categories) {
  CompiledTree compiled;
  SplitTable const table(forest, tree, RegisterLevels(pairs != nullptr), categories);
  compiled.n_features = table.NumFeatures();
  ProgramLister(table, forest.output_of_tree[tree], pairs, &compiled).Run();
  return compiled;
}

std::int32_t LongestPath(Forest const& forest, std::int64_t tree) {
  auto const n_nodes = ToSize(forest.tree_begin[tree + 1] - forest.tree_begin[tree]);
  std::vector<std::uint32_t> parent(n_nodes, 0);
  std::vector<std::uint32_t> slot(n_nodes, 0);  // slot of the parent's split
  std::vector<std::int32_t> n_features(n_nodes, 0);
  std::int32_t longest = 0;
  for (std::uint32_t node = 0; node < n_nodes; ++node) {
    auto const split = forest.Node(tree, node);
    longest = std::max(longest, n_features[node]);
    if (split.left == node) continue;
    auto above = node;
    while (above != 0 && slot[above] != split.slot) above = parent[above];
    for (auto const child : {split.left, split.left + 1}) {
      parent[child] = node;
      slot[child] = split.slot;
      n_features[child] = n_features[node] + (above == 0 ? 1 : 0);
    }
  }
  return longest;
}

}  // namespace kauri
