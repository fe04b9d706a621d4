/// \file The crowns of many trees (crown.h) answered for one row.
///
/// Every crown is padded to 63 nodes, and their columns and ranks are bytes: one comparison of 64 bytes answers all
/// nodes of a tree, once the row's codes are looked up in registers by the columns. The answers of a tree are the bits
/// of one word; walking through eight words at once takes the six turns of eight trees. Where a walk through the nodes
/// themselves takes about forty cycles a tree, this takes ten.
#pragma once

#include <cstdint>
#include <vector>

namespace kauri {

constexpr std::int64_t kRowCrownNodes = 64;  ///< the last one is never reached
constexpr std::size_t kMaxRowColumns = 64;

/// Empty where a row cannot be answered so. Trees: the first ones of groups where the forest has vectors (forest.h).
struct RowCrown {
  std::vector<std::uint8_t> column;  ///< [n_trees, kRowCrownNodes]
  std::vector<std::int8_t> rank;     ///< [n_trees, kRowCrownNodes]
  std::vector<float> value;  ///< [n_trees, kRowCrownNodes]: by exit; empty where some exits are splits, or vectors

  bool IsEmpty() const { return column.empty(); }
};

/// A row's codes. codes: [kMaxRowColumns], of which n_columns count.
struct RowCodesView {
  std::int8_t const* codes;
  std::size_t n_columns;
};

/// exits [n_trees]: of trees [first, first + n_trees), the six turns as a binary
/// number, the root's first.
void FindRowExits(RowCrown const& crown, RowCodesView codes, std::int64_t first, std::int64_t n_trees,
                  std::uint8_t* exits);

}  // namespace kauri
