/// \file Trees on hybrid rows, which take some features from a row x and the others from a row r of a background.
///
/// Vocabulary. A player is a set of features that join together; a feature without a player keeps r's value. A hybrid
/// row is identified by the set of players with x's values, or by the number of players of an order that have joined.
///
///   1. Each tree is reduced to the splits at which x and r take different branches and which no earlier split of the
///      same player decides. So a node tests one player, and no path tests a player twice. This is done once for x and
///      r.
///   2. All hybrid rows of one order need one traversal, with an interval of k, the number of players that have joined.
///      At a node the k above the player's rank follow x, the others r. A leaf adds its value to a list of differences
///      over k at both ends of its interval; one prefix sum over k gives the sums of all hybrid rows of the order. So a
///      tree costs a few nodes per order instead of one traversal per hybrid row.
///   3. Values are fixed-point numbers, so their sums do not depend on the order of additions.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/span.h"
#include "predictor/forest/forest.h"

namespace kauri {

/// Leaf values as multiples of a unit. Each output has its own unit, because outputs may differ by many orders of
/// magnitude. The unit is a power of two such that the sum of one leaf per tree of the output stays below 2^61 units.
class FixedLeaves {
 public:
  /// \throws Error(kModel) if a leaf is not finite.
  FixedLeaves(Forest const& forest, TreeRange own);
  /// Returns the value of a node, numbered over all trees of the forest.
  std::int64_t At(std::int64_t node) const { return values_[ToSize(node)]; }
  double ValueOf(std::int64_t sum, std::int64_t output) const {
    return static_cast<double>(sum) * units_[ToSize(output)];
  }

 private:
  std::vector<std::int64_t> values_;  ///< [n_nodes]; 0 for splits and for trees outside `own`
  std::vector<double> units_;         ///< [n_outputs]
};

/// Inputs that do not depend on the rows.
struct HybridTask {
  Forest const& forest;
  TreeRange own;  ///< trees, numbered within the forest
  FixedLeaves const& leaves;
  std::vector<std::int32_t> const& player_of_slot;  ///< [n_slots], -1: none
  std::int32_t n_players;
};

/// The reduced trees of a pair x, r. Memory is reused from one pair to the next.
class HybridTrees {
 public:
  explicit HybridTrees(HybridTask const& task);

  /// Reduces the trees for the keys of both rows, [n_slots] each.
  void Compile(std::int32_t const* x, std::int32_t const* r);
  /// Computes the sums of trees after the first k players of an order have joined, for all k. sums (out): [n_players +
  /// 1, n_outputs]; rank: [n_players], position in the order.
  void SumOrder(std::uint32_t const* rank, Span<std::int64_t> sums);
  /// Computes the sums of trees of one hybrid row. sums (out): [n_outputs]; mask: [n_players], 1: x's value.
  void SumMask(std::uint8_t const* mask, Span<std::int64_t> sums) const;

 private:
  /// A node, or a leaf if player is -1. The next node is x's child.
  struct Node {
    std::int32_t player;
    std::uint32_t other;  ///< r's child
    std::int64_t value;
  };
  struct Root {
    std::uint32_t node;
    std::int32_t output;
  };
  /// A node of the forest that is still to be visited, below a decision.
  struct Visit {
    std::uint32_t node;
    std::uint32_t parent;   ///< node whose r's child this is; kNoParent: x's child, which is the next node
    std::size_t n_decided;  ///< number of decisions on the path before `player`'s
    std::int32_t player;    ///< player of the last decision; -1: none
    bool present;
  };
  struct Walk {
    std::uint32_t node;
    std::uint32_t begin;
    std::uint32_t end;
  };

  /// The keys of both rows.
  struct Pair {
    std::int32_t const* x;
    std::int32_t const* r;
  };
  /// A leaf, or a node of the forest at which x and r take different branches and whose player is undecided.
  struct Fork {
    std::uint32_t node;
    std::int32_t player;  ///< -1: a leaf
    std::uint32_t by_x;   ///< children
    std::uint32_t by_r;
  };

  template <bool kCategorical, typename Reader>
  void CompileTree(Reader const& reader, std::int64_t tree, Pair const& keys);
  void Decide(Visit const& visit);
  /// Follows a tree from `node` on while x and r agree or the split's player is decided.
  template <bool kCategorical, typename Reader>
  Fork Follow(Reader const& reader, std::uint32_t node, Pair const& keys) const;

  HybridTask const& task_;
  std::vector<Node> nodes_;
  std::vector<Root> roots_;
  std::vector<std::int64_t> constant_;  ///< [n_outputs], sums of trees that are a single leaf
  std::vector<std::int8_t> decided_;    ///< [n_players], 0: not, 1: x's, -1: r's
  std::vector<std::int32_t> path_;      ///< decided players, in order
  std::vector<Visit> visits_;
  std::vector<Walk> walks_;  ///< [n_players + 1], a stack
};

}  // namespace kauri
