/// \file The top levels of many trees, laid out so that 64 rows are evaluated at once.
///
/// 1. The tree tops (`TreeTops`) are the upper K = min(depth, 6) levels of each tree, padded to a complete binary
///    tree of 2^K - 1 nodes in level order; a padded node sends every row left.
/// 2. A column is a slot with one default direction. The code of a row in a column is the number of the column's
///    thresholds in the tree tops that are not above the row's value; missing counts as 0 (default left) or all of
///    them. So at the threshold with rank i a row goes right iff code > i: exact, whatever the type of the code.
/// 3. Codes fit into int8 (at most 255 thresholds per column: every histogram-grown forest) or int16.
/// 4. All nodes of a tree's top are compared with 64 rows each; the results are one 64-bit word per node. Level by
///    level, word-wise selects turn them into the K bits of each row's exit (tree_tops_kernel.cc).
/// A tree of at most K conditions (see below), such as grow_policy=symmetric grows, needs K comparisons
/// instead: their results are the bits of the exit.
/// The cost per row and tree is about 2^K / 64 vector comparisons, plus the codes, paid once per row. There are no
/// dependent loads, whereas a traversal has K dependent steps. QuickScorer (Lucchese et al., SIGIR 2015) compares all
/// nodes for the same reason, but keeps one word of leaves per row instead of one word of rows per node.
///
/// RowTreeTops evaluates the tops of many trees for one row.
///
/// The top of every tree is padded to 63 nodes, and their columns and ranks are bytes. After the row's codes are looked
/// up in registers by column, one comparison of 64 bytes evaluates all nodes of a tree. The results of a tree are the
/// bits of one word; processing eight words at once takes the six turns of eight trees. A traversal of the nodes
/// themselves takes about forty cycles per tree, this takes ten.
///
/// Some trees have few distinct conditions, however many nodes they have: grow_policy=symmetric has one condition per
/// level.
///
/// A condition is a slot, a threshold and a default direction. A row's results for all conditions of a
/// tree determine its leaf, in whatever order they are evaluated. So a table of leaves by results (`answers`) replaces
/// the nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "predictor/forest/forest.h"

namespace kauri {

constexpr std::int64_t kRowTreeTopsNodes = 64;  ///< the last node is never reached
constexpr std::size_t kMaxRowColumns = 64;

/// The tree tops for single rows; empty if rows cannot be evaluated this way. The trees are the first trees of groups
/// if the forest has vectors (forest.h).
struct RowTreeTops {
  std::vector<std::uint8_t> column;  ///< [n_trees, kRowTreeTopsNodes]
  std::vector<std::int8_t> rank;     ///< [n_trees, kRowTreeTopsNodes]
  std::vector<float> value;  ///< [n_trees, kRowTreeTopsNodes], by exit; empty if some exits are splits, or vectors

  bool IsEmpty() const { return column.empty(); }
};

/// The codes of a row. codes: [kMaxRowColumns], of which the first n_columns are used.
struct RowCodesView {
  std::int8_t const* codes;
  std::size_t n_columns;
};

/// Computes the exits of trees [first, first + n_trees). exits: [n_trees], the six turns as a binary number, the root's
/// turn first.
void FindRowExits(RowTreeTops const& tree_tops, RowCodesView codes, std::int64_t first, std::int64_t n_trees,
                  std::uint8_t* exits);

constexpr std::int32_t kTreeTopsLevels = 6;
constexpr std::int64_t kTreeTopsRows = 64;
/// Smaller tables of exits are padded to this size.
constexpr std::int64_t kMinExits = 16;

struct TreeTopsColumn {
  std::uint32_t slot;
  std::uint32_t missing_count;  ///< code of a missing value
  std::int32_t bits;            ///< 2^bits - 1 thresholds; the last ones are padding above every value
  std::int64_t threshold_begin;
};

struct TreeTopsTree {
  std::int32_t levels = 0;      ///< K
  bool has_deeper = false;      ///< some exits are splits, so rows must go on from there
  bool has_conditions = false;  ///< K conditions replace the nodes
  std::int64_t node_begin = 0;  ///< index into column and rank; 2^K - 1 nodes or K conditions
  std::int64_t exit_begin = 0;  ///< index into exit_node and exit_value; max(2^K, kMinExits) exits
};

struct TreeTops {
  int code_bytes = 0;  ///< 1, 2, or 0: no tree tops (categorical splits, too many thresholds, or they would not pay)
  std::vector<TreeTopsColumn>
      columns;  ///< column 0 belongs to padded nodes: no thresholds, so all its codes are lowest
  std::vector<std::int32_t> thresholds;  ///< keys, per column ascending and distinct
  std::vector<TreeTopsTree> trees;       ///< the trees of a group (forest.h) share the first one's entry
  std::vector<std::uint32_t> column;     ///< [nodes]
  std::vector<std::int16_t> rank;        ///< [nodes], minus the bias of the code's type
  std::vector<std::uint32_t> exit_node;  ///< [exits], within the tree
  std::vector<float> exit_value;         ///< [exits], 0 where the exit is a split
  std::int64_t encode_steps = 0;         ///< steps of binary search per row
  RowTreeTops row;                       ///< empty unless codes are bytes and columns are few
};

/// Builds the tree tops from the compiled nodes of `forest`.
TreeTops BuildTreeTops(Forest const& forest);
/// Builds the tree tops, or returns empty ones if they do not pay even when all trees are used. This is decided before
/// they are built, because margins of only a few rows may be needed from a tree that was just grown.
TreeTops TreeTopsIfItPays(Forest const& forest);

/// Returns whether codes for `trees` (numbered within the forest) cost less than the steps that they save.
bool TreeTopsPays(Forest const& forest, TreeTops const& tree_tops, TreeRange trees);

/// Computes the codes of rows. keys: interleaved by kWalkLanes (walk.h); n_rows: a multiple of kTreeTopsRows; codes
/// (out): [n_columns, n_rows] of int8 or int16.
void EncodeRows(TreeTops const& tree_tops, std::int32_t const* keys, std::int64_t n_rows, std::int64_t n_slots,
                void* codes);

/// Computes the codes of one row. keys: [n_slots]; codes (out): [kMaxRowColumns].
void EncodeRow(TreeTops const& tree_tops, std::int32_t const* keys, std::int8_t* codes);

/// Returns whether trees of the forest may be evaluated by their conditions. False if some trees are deeper than
/// kTreeTopsLevels or have vector leaves, since exits of such trees are read in the order of nodes.
bool MayUseConditions(Forest const& forest);

/// Returns the distinct conditions of a tree, at most kTreeTopsLevels, if comparing all nodes of its top would take at
/// least twice the number of comparisons. Empty otherwise.
std::vector<SplitNode> ConditionsOf(Forest const& forest, std::int64_t tree);

/// Returns the leaf of a row that goes right at condition i iff bit n - 1 - i of `answers` is set, with n conditions in
/// all.
std::uint32_t LeafOfAnswers(Forest const& forest, std::int64_t tree, std::vector<SplitNode> const& conditions,
                            std::uint32_t answers);

}  // namespace kauri
