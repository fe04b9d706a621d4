/// \file The tops of many trees (tree_tops.h) evaluated for one row.
///
/// The top of every tree is padded to 63 nodes, and their columns and ranks are bytes. After the row's codes are looked
/// up in registers by column, one comparison of 64 bytes evaluates all nodes of a tree. The results of a tree are the
/// bits of one word; processing eight words at once takes the six turns of eight trees. A traversal of the nodes
/// themselves takes about forty cycles per tree, this takes ten.
#pragma once

#include <cstdint>
#include <vector>

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

}  // namespace kauri
