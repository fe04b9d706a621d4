/// \file Trees on hybrid rows: some features are those of a row x, the others those of a row r of a background.
///
/// Vocabulary. A player is a set of features that join together; a feature of no player stays r's. A hybrid row is
/// named by the players that are x's, or by how many of an order are.
///
///   1. Of each tree only those splits are kept at which x and r part and that are not decided by an earlier one of the
///      same player: a node asks for one player, and no path asks twice. That is done once for x and r.
///   2. All hybrid rows of one order need one walk, with an interval of k, how many players have joined: at a node the
///      part from rank + 1 on follows x, the rest r. A leaf adds its value to the differences of a list over k at both
///      ends of its interval; one prefix sum makes the sums of all k of that. So a tree costs a few nodes for an order,
///      not a walk for each of its hybrid rows.
///   3. Values are fixed-point numbers, so their sums do not depend on the order of anything.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/span.h"
#include "predictor/forest/forest.h"

namespace kauri {

/// The leaves of a forest in a unit, a power of two, such that the sum of one of each tree stays below 2^61 of them.
class FixedLeaves {
 public:
  /// \throws Error(kModel) for leaves that are not finite.
  FixedLeaves(Forest const& forest, TreeRange own);
  /// node: of the forest, all trees counted.
  std::int64_t At(std::int64_t node) const { return values_[ToSize(node)]; }
  double ValueOf(std::int64_t sum) const { return static_cast<double>(sum) * unit_; }

 private:
  std::vector<std::int64_t> values_;  ///< [n_nodes]; of splits, and trees that are left out, 0
  double unit_ = 1.0;
};

/// What does not depend on the rows.
struct HybridTask {
  Forest const& forest;
  TreeRange own;  ///< trees, numbered within the forest
  FixedLeaves const& leaves;
  std::vector<std::int32_t> const& player_of_slot;  ///< [n_slots], -1: none
  std::int32_t n_players;
};

/// The trees of x and r. Memory is kept from one pair to the next.
class HybridTrees {
 public:
  explicit HybridTrees(HybridTask const& task);

  /// Keys of both: [n_slots].
  void Compile(std::int32_t const* x, std::int32_t const* r);
  /// sums (out): [n_players + 1, n_outputs], of the first k players; rank: [n_players].
  void SumOrder(std::uint32_t const* rank, Span<std::int64_t> sums);
  /// sums (out): [n_outputs]; mask: [n_players], 1: x's.
  void SumMask(std::uint8_t const* mask, Span<std::int64_t> sums) const;

 private:
  /// A node, or with player -1 a leaf; x's child is the next node.
  struct Node {
    std::int32_t player;
    std::uint32_t other;  ///< r's child
    std::int64_t value;
  };
  struct Root {
    std::uint32_t node;
    std::int32_t output;
  };
  /// A node of the forest still to be looked at, below a decision.
  struct Visit {
    std::uint32_t node;
    std::uint32_t parent;   ///< whose r's child it is; kNoParent: follows its parent
    std::size_t n_decided;  ///< decisions above the one for it
    std::int32_t player;    ///< decided for it; -1: none
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
  /// A node of the forest at which the two part, undecided, or a leaf.
  struct Fork {
    std::uint32_t node;
    std::int32_t player;  ///< -1: a leaf
    std::uint32_t by_x;   ///< children
    std::uint32_t by_r;
  };

  template <bool kCategorical, typename Reader>
  void CompileTree(Reader const& reader, std::int64_t tree, Pair const& keys);
  void Decide(Visit const& visit);
  /// Follows what is decided, or where x and r go the same way, from a node on.
  template <bool kCategorical, typename Reader>
  Fork Follow(Reader const& reader, std::uint32_t node, Pair const& keys) const;

  HybridTask const& task_;
  std::vector<Node> nodes_;
  std::vector<Root> roots_;
  std::vector<std::int64_t> constant_;  ///< [n_outputs], of trees without a node
  std::vector<std::int8_t> decided_;    ///< [n_players], 0: not, 1: x's, -1: r's
  std::vector<std::int32_t> path_;      ///< the players decided, in order
  std::vector<Visit> visits_;
  std::vector<Walk> walks_;  ///< [n_players + 1], a stack
};

}  // namespace kauri
