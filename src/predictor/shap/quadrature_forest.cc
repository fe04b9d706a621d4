#include "predictor/shap/quadrature_forest.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "common/threads/parallel_for.h"
#include "predictor/forest/cover.h"

namespace kauri {
namespace {

/// Number of splits between two flushes: small enough for the sums of their terms in float32.
constexpr std::size_t kSplitsPerFlush = 256;

/// Returns the slots of the splits, ascending.
std::vector<std::uint32_t> SlotsOf(Forest const& forest, std::int64_t tree) {
  std::vector<std::uint32_t> slots;
  auto const n_nodes = forest.tree_begin[tree + 1] - forest.tree_begin[tree];
  for (std::uint32_t node = 0; node < n_nodes; ++node) {
    if (!forest.IsLeaf(tree, node)) slots.push_back(forest.Node(tree, node).slot);
  }
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  return slots;
}

/// Compiles one tree. The path is kept by level, so that depth costs no call stack.
class TreeCompiler {
 public:
  TreeCompiler(Forest const& forest, std::int64_t tree, QuadratureGoal goal)
      : forest_(forest), index_(tree), with_pairs_(goal.with_pairs) {
    if (goal.semivalue == Semivalue::kTaylorPairs) alone_ = AloneEffects(forest, tree);
  }

  /// Compiles everything except inverses, which depend on the rule, and the numbers of pairs, which depend on other
  /// trees.
  QuadratureTree Compile() {
    tree_.mean = NodeMeans(forest_, index_)[0];
    tree_.slots = SlotsOf(forest_, index_);
    level_of_feature_.assign(tree_.slots.size(), 0);
    if (forest_.IsLeaf(index_, 0)) return std::move(tree_);
    visits_.push_back({VisitKind::kEnter, 0, 0, 0, false});
    while (!visits_.empty()) {
      auto const visit = visits_.back();
      visits_.pop_back();
      if (visit.kind == VisitKind::kClose) {
        AddStep(QuadratureStep::kClose, visit.is_repeated);
        Leave();
        continue;
      }
      if (visit.kind == VisitKind::kTurn) AddStep(QuadratureStep::kTurn, visit.is_repeated);
      Enter(visit);
    }
    tree_.order = PointsFor(max_features_);
    return std::move(tree_);
  }
  std::vector<double> TakeEdgeZeros() { return std::move(edge_zeros_); }
  /// Returns the slots of each pair of the tree.
  std::vector<SlotPair> TakePairs() { return std::move(pairs_); }

 private:
  enum class VisitKind { kEnter, kTurn, kClose };
  struct Visit {
    VisitKind kind;
    std::uint32_t node;
    std::uint32_t parent;  ///< split above
    std::uint8_t side;
    bool is_repeated;  ///< whether the split of kTurn or kClose is repeated
  };
  /// The edge into a level; level 0 has none.
  struct Edge {
    std::uint32_t feature;
    std::uint32_t number;
    std::int32_t previous;    ///< level of the previous edge of the feature
    std::int32_t n_features;  ///< distinct features on the path down to this level
    double zero;
  };

  void Enter(Visit const& visit) {
    if (path_.empty()) {
      path_.push_back({0, 0, 0, 0, 1.0});
    } else {
      Follow(visit);
    }
    auto const node = forest_.Node(index_, visit.node);
    auto const left = forest_.IsLeaf(index_, node.left);
    auto const right = forest_.IsLeaf(index_, node.left + 1);
    auto const number = static_cast<std::uint32_t>(tree_.splits.size());
    tree_.splits.push_back(MakeSplit(visit, node));
    tree_.levels = std::max(tree_.levels, static_cast<std::int32_t>(path_.size()));
    if (with_pairs_) AddPartners(tree_.splits.back().feature);
    if (!alone_.empty()) {
      tree_.alone.push_back(static_cast<float>(alone_[2 * ToSize(visit.node)]));
      tree_.alone.push_back(static_cast<float>(alone_[2 * ToSize(visit.node) + 1]));
    }
    auto const is_repeated = tree_.splits.back().previous != 0;
    if (left && right) {
      AddStep(QuadratureStep::kTip, is_repeated);
      Leave();
    } else {
      visits_.push_back({VisitKind::kClose, 0, 0, 0, is_repeated});
      if (!right) {
        visits_.push_back({left ? VisitKind::kEnter : VisitKind::kTurn, node.left + 1, number, 1, is_repeated});
      }
      if (!left) visits_.push_back({VisitKind::kEnter, node.left, number, 0, is_repeated});
      AddStep(left ? QuadratureStep::kOpenRight : QuadratureStep::kOpenLeft, is_repeated);
    }
    if (tree_.splits.size() % kSplitsPerFlush == 0) tree_.steps.push_back(QuadratureStep::kFlush);
  }

  void AddStep(QuadratureStep step, bool is_repeated) {
    tree_.steps.push_back(is_repeated ? static_cast<QuadratureStep>(static_cast<int>(step) + 1) : step);
  }

  void Follow(Visit const& visit) {
    auto const& split = tree_.splits[visit.parent];
    auto const number = split.edge[visit.side];
    auto const n_features = path_.back().n_features + (split.previous == 0 ? 1 : 0);
    path_.push_back({split.feature, number, split.previous, n_features, edge_zeros_[number]});
    level_of_feature_[split.feature] = static_cast<std::int32_t>(path_.size()) - 1;
  }

  void Leave() {
    if (path_.size() > 1) level_of_feature_[path_.back().feature] = path_.back().previous;
    path_.pop_back();
  }

  QuadratureSplit MakeSplit(Visit const& visit, SplitNode const& node) {
    auto const& slots = tree_.slots;
    QuadratureSplit split{};
    split.key = node.key;
    split.slot = node.slot;
    split.feature = static_cast<std::uint32_t>(std::lower_bound(slots.begin(), slots.end(), node.slot) - slots.begin());
    split.default_left = node.default_left;
    split.is_categorical = node.is_categorical;
    split.side = visit.side;
    split.is_half_leaf = forest_.IsLeaf(index_, node.left) != forest_.IsLeaf(index_, node.left + 1);
    split.previous = level_of_feature_[split.feature];
    split.previous_edge = path_[split.previous].number;
    auto const previous_zero = path_[split.previous].zero;
    split.previous_effect = static_cast<float>(1.0 - previous_zero);
    split.power = path_.back().n_features - (split.previous == 0 ? 0 : 1);
    max_features_ = std::max(max_features_, split.power + 1);
    SetEdges(visit.node, node.left, previous_zero, &split);
    return split;
  }

  void SetEdges(std::uint32_t parent, std::uint32_t left, double previous_zero, QuadratureSplit* split) {
    auto const first = forest_.tree_begin[index_];
    double zero[2];
    double value[2];
    double mean = 0.0;
    double cold_mean = 0.0;
    auto is_tip = true;
    for (std::uint32_t side = 0; side < 2; ++side) {
      auto const child = ToSize(first + left + side);
      auto const ratio = CoverRatio(forest_.cover[first + parent], forest_.cover[child]);
      zero[side] = previous_zero * ratio;
      value[side] = static_cast<double>(forest_.leaf_value[child]);
      mean += zero[side] * value[side];
      cold_mean += ratio * value[side];
      split->ratio[side] = static_cast<float>(ratio);
      split->zero[side] = static_cast<float>(zero[side]);
      split->effect[side] = static_cast<float>(1.0 - zero[side]);
      split->leaf[side] = forest_.leaf_value[child];
      if (forest_.IsLeaf(index_, left + side)) continue;
      is_tip = false;
      split->edge[side] = static_cast<std::uint32_t>(edge_zeros_.size());
      edge_zeros_.push_back(zero[side]);
    }
    if (!is_tip) return;
    split->mean = static_cast<float>(mean);
    split->cold_mean = static_cast<float>(cold_mean);
    for (std::uint32_t side = 0; side < 2; ++side) {
      auto const other = 1 - side;
      split->effect[side] = static_cast<float>((1.0 - zero[side]) * value[side] - zero[other] * value[other]);
    }
  }

  void AddPartners(std::uint32_t feature) {
    std::uint32_t count = 0;
    for (std::uint32_t level = 1; level < path_.size(); ++level) {
      auto const other = path_[level].feature;
      if (other == feature || level_of_feature_[other] != static_cast<std::int32_t>(level)) continue;
      auto const first = std::min(feature, other);
      auto const second = std::max(feature, other);
      auto const name = std::uint64_t{first} << 32U | second;
      auto const added = pair_numbers_.emplace(name, static_cast<std::uint32_t>(pairs_.size()));
      if (added.second) pairs_.push_back({tree_.slots[first], tree_.slots[second]});
      tree_.partners.push_back({level, added.first->second});
      ++count;
    }
    tree_.n_partners.push_back(count);
  }

  Forest const& forest_;
  std::int64_t index_;
  bool with_pairs_;
  std::vector<double> alone_;  ///< AloneEffects, or empty
  QuadratureTree tree_;
  std::vector<Visit> visits_;
  std::vector<Edge> path_;                      ///< by level
  std::vector<std::int32_t> level_of_feature_;  ///< level of the feature's lowest edge on the path; 0: none
  std::vector<double> edge_zeros_;
  std::int32_t max_features_ = 1;
  std::vector<SlotPair> pairs_;
  std::unordered_map<std::uint64_t, std::uint32_t> pair_numbers_;
};

void SetInverses(std::vector<double> const& edge_zeros, QuadratureRule const& rule, QuadratureTree* tree) {
  tree->inverses.reserve(edge_zeros.size() * rule.alpha.size());
  for (auto const zero : edge_zeros) {
    for (std::size_t q = 0; q < rule.alpha.size(); ++q) {
      auto const factor = zero * static_cast<double>(rule.alpha[q]) + static_cast<double>(rule.beta[q]);
      tree->inverses.push_back(static_cast<float>(1.0 / factor));
    }
  }
}

/// Numbers the pairs of each output. pairs: by tree.
void NumberPairs(Forest const& forest, std::vector<std::vector<SlotPair>> const& pairs, QuadratureForest* out) {
  out->pairs.resize(forest.n_outputs);
  for (std::size_t t = 0; t < pairs.size(); ++t) {
    auto& all = out->pairs[forest.output_of_tree[t]];
    all.insert(all.end(), pairs[t].begin(), pairs[t].end());
  }
  for (auto& all : out->pairs) {
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }
  for (std::size_t t = 0; t < pairs.size(); ++t) {
    auto const& all = out->pairs[forest.output_of_tree[t]];
    for (auto const& pair : pairs[t]) {
      auto const place = std::lower_bound(all.begin(), all.end(), pair) - all.begin();
      out->trees[t].pairs.push_back(static_cast<std::uint32_t>(place));
    }
  }
}

}  // namespace

QuadratureForest CompileQuadrature(Context const& ctx, Forest const& forest, QuadratureGoal goal) {
  auto const n_trees = forest.NumTrees();
  QuadratureForest compiled;
  compiled.trees.resize(n_trees);
  std::vector<std::vector<double>> edge_zeros(n_trees);
  std::vector<std::vector<SlotPair>> pairs(n_trees);
  ParallelFor(ctx, n_trees, [&](std::int64_t t) {
    TreeCompiler compiler(forest, t, goal);
    compiled.trees[t] = compiler.Compile();
    edge_zeros[t] = compiler.TakeEdgeZeros();
    pairs[t] = compiler.TakePairs();
  });
  for (auto const& tree : compiled.trees) {
    if (ToSize(tree.order) >= compiled.rules.size()) compiled.rules.resize(ToSize(tree.order) + 1);
    auto& rule = compiled.rules[tree.order];
    if (tree.order > 0 && rule.points == 0) rule = MakeQuadratureRule(goal.semivalue, tree.order);
  }
  ParallelFor(ctx, n_trees, [&](std::int64_t t) {
    auto& tree = compiled.trees[t];
    SetInverses(edge_zeros[t], compiled.rules[tree.order], &tree);
  });
  if (goal.with_pairs) NumberPairs(forest, pairs, &compiled);
  return compiled;
}

QuadratureGoal GoalOf(PredictKind kind) {
  switch (kind) {
    case PredictKind::kBanzhaf:
    case PredictKind::kBanzhafInteraction:
      return {Semivalue::kBanzhaf, IsOfPairs(kind)};
    case PredictKind::kTaylorInteraction:
      return {Semivalue::kTaylorPairs, true};
    default:
      return {Semivalue::kShapley, IsOfPairs(kind)};
  }
}

}  // namespace kauri
