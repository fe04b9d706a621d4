#include "predictor/interactions/interaction_forest.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/host_math.h"
#include "kauri/error.h"
#include "predictor/forest/cover.h"

namespace kauri {
namespace {

/// Returns the least z of an edge. Without cover z is 0, and a gain at t = 0 would be infinite. The product of `order`
/// gains stays finite with this z, and the error of a set is below it.
double LeastZero(std::int32_t order) { return RealPower(10.0, -280.0 / (order + 1)); }

/// Returns a bound on the terms and sums of a tree (interaction_forest.h). A leaf adds to a term at most twice its
/// value times the weights. The terms of a set of s features are differences of 2^s expected values.
double BoundOfSets(Forest const& forest, std::int64_t tree, InteractionRule const& rule, std::int32_t order) {
  auto weights = 0.0;
  for (std::size_t size = 1; size < rule.weight.size(); ++size) {
    auto const sum = std::accumulate(rule.weight[size].begin(), rule.weight[size].end(), 0.0,
                                     [](double so_far, double weight) { return so_far + std::abs(weight); });
    weights = std::max(weights, sum);
  }
  auto const begin = forest.leaf_value.begin() + forest.tree_begin[tree];
  auto const end = forest.leaf_value.begin() + forest.tree_begin[tree + 1];
  auto const sum = std::accumulate(
      begin, end, 0.0, [](double so_far, float value) { return so_far + std::abs(static_cast<double>(value)); });
  auto const expected = static_cast<double>(forest.LargestLeaf(tree)) * SumOfLeafWeights(forest, tree);
  return 2.0 * weights * std::min(sum, std::ldexp(expected, order));
}

void CheckSets(FeatureSets const& sets, std::int32_t order) {
  if (sets.Count() <= kMostSets) return;
  Fail(ErrorKind::kParameter, "the paths of the trees have ", sets.Count(), " or more sets of up to ", order,
       " features; at most ", kMostSets, " are supported. Use a smaller max_order, or fewer or shallower trees.");
}

/// Compiles one tree.
class TreeCompiler {
 public:
  TreeCompiler(Forest const& forest, std::int64_t number, TreeEdges const& above, InteractionForest* out)
      : forest_(forest),
        number_(number),
        above_(above),
        out_(*out),
        tree_(out->trees[number]),
        rule_(out->rules[tree_.n_features]),
        least_(LeastZero(out->order)),
        level_(above.parent.size(), 0) {}

  void Compile() {
    for (auto const t : rule_.node) tree_.cold_gain.push_back(-1.0 / (1.0 - t));
    std::vector<Frame> open{{0, 0}};
    while (!open.empty()) {
      auto const split = forest_.Node(number_, open.back().split);
      if (open.back().n_sides == 2) {
        AddSplit(open.back().split, split.slot);
        open.pop_back();
        if (!open.empty()) tree_.steps.push_back(InteractionStep::kUp);
        continue;
      }
      auto const child = split.left + open.back().n_sides++;
      level_[child] = level_[open.back().split] + 1;
      AddEdge(child, split.slot);
      if (forest_.IsLeaf(number_, child)) {
        tree_.steps.push_back(InteractionStep::kLeaf);
        continue;
      }
      tree_.n_levels = std::max(tree_.n_levels, level_[child] + 1);
      tree_.steps.push_back(InteractionStep::kDown);
      open.push_back({child, 0});
    }
  }

 private:
  struct Frame {
    std::uint32_t split;
    std::uint32_t n_sides;  ///< sides whose edge was added
  };

  double ZeroOf(std::uint32_t edge) const { return std::max(above_.zero_fraction[edge], least_); }

  void AddEdge(std::uint32_t child, std::uint32_t slot) {
    auto const& feature = above_.feature[child];
    auto const earlier = above_.earlier[child];
    auto const is_repeated = earlier != kNoEdge;
    InteractionEdge edge{};
    edge.slot = slot;
    edge.lower = feature.lower;
    edge.width = static_cast<std::uint32_t>(feature.upper) - static_cast<std::uint32_t>(feature.lower);
    edge.missing = feature.TakesMissing() ? kMissingKey : kLowestKey;
    edge.has_condition = feature.HasCategories();
    edge.previous = is_repeated ? level_[earlier] : 0;
    edge.cold_ratio = is_repeated ? ZeroOf(child) / ZeroOf(earlier) : 0.0;
    edge.leaf = static_cast<double>(forest_.leaf_value[forest_.tree_begin[number_] + child]);
    tree_.edges.push_back(edge);
    AddConstants(ZeroOf(child), is_repeated ? ZeroOf(earlier) : -1.0);
  }

  /// Adds the constants of an edge. earlier: z of the previous edge, negative if there is none.
  void AddConstants(double zero, double earlier) {
    auto const points = rule_.node.size();
    auto const first = tree_.constants.size();
    tree_.constants.resize(first + kNumConstants * points);
    auto* const to = tree_.constants.data() + first;
    for (std::size_t q = 0; q < points; ++q) {
      auto const t = rule_.node[q];
      auto const before = earlier < 0.0 ? 1.0 : earlier * (1.0 - t) + t;
      auto const gain_before = earlier < 0.0 ? 0.0 : (1.0 - earlier) / before;
      auto const factor = zero * (1.0 - t) + t;
      auto const gain = (1.0 - zero) / factor;
      to[kHotRatio * points + q] = factor / before;
      to[kColdRatio * points + q] = zero * (1.0 - t) / before;
      to[kHotGain * points + q] = gain;
      to[kHotStep * points + q] = gain - gain_before;
      to[kColdStep * points + q] = tree_.cold_gain[q] - gain_before;
    }
  }

  void AddSplit(std::uint32_t node, std::uint32_t slot) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> others;  // slot, level
    ForEachPathEdge(above_, node, [&](std::uint32_t edge) {
      auto const other = above_.feature[edge].Slot();
      if (other != slot) others.emplace_back(other, level_[edge]);
    });
    std::sort(others.begin(), others.end());
    tree_.steps.push_back(InteractionStep::kSplit);
    tree_.splits.push_back({static_cast<std::uint32_t>(tree_.levels.size()), static_cast<std::uint32_t>(others.size()),
                            tree_.sets.size()});
    for (auto const& other : others) tree_.levels.push_back(other.second);
    std::vector<std::uint32_t> chosen;
    std::vector<std::uint32_t> members;
    ForEachSubset(static_cast<std::uint32_t>(others.size()), ToSize(out_.order) - 1, &chosen,
                  [&](auto const& positions) {
                    members.clear();
                    for (auto const position : positions) members.push_back(others[position].first);
                    members.insert(std::lower_bound(members.begin(), members.end(), slot), slot);
                    tree_.sets.push_back(out_.sets.Add(members.data(), static_cast<std::int64_t>(members.size())));
                    CheckSets(out_.sets, out_.order);
                  });
  }

  Forest const& forest_;
  std::int64_t number_;
  TreeEdges const& above_;
  InteractionForest& out_;
  InteractionTree& tree_;
  InteractionRule const& rule_;
  double least_;
  std::vector<std::int32_t> level_;  ///< [n_nodes]
};

/// Returns the number of sets of at most `most` of n things.
double CountSubsets(std::int32_t n, std::int32_t most) {
  auto count = 0.0;
  auto binomial = 1.0;
  for (std::int32_t size = 0; size <= std::min(n, most); ++size) {
    count += binomial;
    binomial *= static_cast<double>(n - size) / (size + 1);
  }
  return count;
}

void CheckOrder(std::int32_t order, std::int32_t longest) {
  if (order <= kMostOrder) return;
  Fail(ErrorKind::kParameter, "max_order is ", order, " or more, and a path has ", longest, " features; at most ",
       kMostOrder, " is supported on such paths.");
}

/// Checks that the sums of all splits fit into memory.
void CheckSums(Forest const& forest, std::vector<TreeEdges> const& edges, std::int32_t order) {
  auto sums = 0.0;
  for (std::int64_t tree = 0; tree < forest.NumTrees(); ++tree) {
    auto const& above = edges[tree];
    for (std::size_t node = 0; node < above.parent.size(); ++node) {
      auto const child = forest.Node(tree, static_cast<std::uint32_t>(node)).left;
      if (child != node) sums += CountSubsets(above.n_features[child] - 1, order - 1);
    }
  }
  if (sums <= static_cast<double>(kMostSetSums)) return;
  Fail(ErrorKind::kParameter, "interactions of up to ", order, " features need ", sums,
       " sums per row in these trees; ", "at most ", kMostSetSums,
       " are supported. Use a smaller max_order, or fewer or shallower trees.");
}

}  // namespace

InteractionForest CompileInteractions(Forest const& forest, InteractionIndex index, std::int32_t max_order) {
  InteractionForest out{index, 0, {}, {}, PathCategories(forest.categories), {}};
  std::vector<TreeEdges> edges;
  std::int32_t longest = 0;
  for (std::int64_t tree = 0; tree < forest.NumTrees(); ++tree) {
    edges.push_back(FindEdges(forest, tree, &out.categories));
    out.trees.emplace_back();
    out.trees.back().mean = NodeMeans(forest, tree)[0];
    auto const& n_features = edges.back().n_features;
    out.trees.back().n_features = *std::max_element(n_features.begin(), n_features.end());
    longest = std::max(longest, out.trees.back().n_features);
  }
  // No path has more features, so every index is the same from there on.
  out.order = std::max(1, std::min(max_order, longest));
  CheckOrder(out.order, longest);
  CheckSums(forest, edges, out.order);
  out.rules.resize(ToSize(longest) + 1);
  for (auto const& tree : out.trees) {
    auto& rule = out.rules[ToSize(tree.n_features)];
    if (tree.n_features > 0 && rule.node.empty()) rule = MakeInteractionRule(index, out.order, tree.n_features);
  }
  for (std::int64_t tree = 0; tree < forest.NumTrees(); ++tree) {
    auto& compiled = out.trees[tree];
    if (compiled.n_features == 0) continue;
    compiled.bound = BoundOfSets(forest, tree, out.rules[ToSize(compiled.n_features)], out.order);
    TreeCompiler(forest, tree, edges[tree], &out).Compile();
  }
  auto const number = out.sets.Sort();
  for (auto& tree : out.trees) {
    for (auto& set : tree.sets) set = number[set];
  }
  return out;
}

std::vector<double> SetScales(Forest const& forest, InteractionForest const& compiled, TreeRange trees) {
  std::vector<double> largest(ToSize(forest.n_outputs), 0.0);
  std::vector<double> sums(ToSize(forest.n_outputs), 0.0);
  for (auto tree = trees.begin; tree < trees.end; ++tree) {
    auto const output = ToSize(forest.output_of_tree[tree]);
    largest[output] = std::max(largest[output], compiled.trees[tree].bound);
    sums[output] += compiled.trees[tree].bound;
  }
  std::vector<double> scales;
  for (std::size_t output = 0; output < sums.size(); ++output) {
    int bits_of_term = 0;
    int bits_of_sum = 0;
    std::frexp(largest[output], &bits_of_term);  // largest < 2^bits
    std::frexp(sums[output], &bits_of_sum);
    scales.push_back(std::ldexp(1.0, std::min(kTermBits - bits_of_term, kSumOfSetBits - bits_of_sum)));
  }
  return scales;
}

}  // namespace kauri
