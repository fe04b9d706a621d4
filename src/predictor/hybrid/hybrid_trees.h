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

/// A power of two such that the sum of a leaf of each tree stays below 2^61 units.
class LeafUnit {
 public:
  /// \throws Error(kModel) for leaves that are not finite.
  LeafUnit(Forest const& forest, TreeRange own);
  std::int64_t Fixed(float value) const;
  double Value(std::int64_t fixed) const;

 private:
  int exponent_;
};

/// What does not depend on the rows.
struct HybridTask {
  Forest const& forest;
  TreeRange own;  ///< trees, numbered within the forest
  LeafUnit const& unit;
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

  void CompileTree(std::int64_t tree, std::int32_t const* x, std::int32_t const* r);
  void Decide(Visit const& visit);
  /// Follows what is decided, or where x and r go the same way, from a node of the forest.
  std::uint32_t Follow(std::int64_t tree, std::uint32_t node, std::int32_t const* x, std::int32_t const* r) const;

  HybridTask const& task_;
  std::vector<Node> nodes_;
  std::vector<Root> roots_;
  std::vector<std::int64_t> constant_;  ///< [n_outputs], of trees without a node
  std::vector<std::int8_t> decided_;    ///< [n_players], 0: not, 1: x's, -1: r's
  std::vector<std::int32_t> path_;      ///< the players decided, in order
  std::vector<Visit> visits_;
  std::vector<Walk> walks_;
};

}  // namespace kauri
