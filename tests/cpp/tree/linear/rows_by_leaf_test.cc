#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tree/linear/linear_tree.h"

namespace kauri {
namespace {

TEST(RowsByLeaf, KeepsTheOrderWithinEachLeaf) {
  std::vector<std::int64_t> const n_rows{3, 0, 2};
  RowsByLeaf rows(n_rows, 2);
  std::vector<std::size_t> const leaf_of{2, 0, 0, 2, 0};
  for (std::size_t row = 0; row < leaf_of.size(); ++row) rows.Add(leaf_of[row], static_cast<std::int64_t>(row));
  std::vector<std::int64_t> sorted;
  for (std::int64_t place = 0; place < 5; ++place) sorted.push_back(rows.At(place));
  EXPECT_EQ(sorted, (std::vector<std::int64_t>{1, 2, 4, 0, 3}));
  ASSERT_EQ(rows.Pieces().size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    auto const& piece = rows.Pieces()[i];
    EXPECT_EQ(piece.leaf, i < 2 ? 0U : 2U);
    EXPECT_EQ(piece.begin, (std::vector<std::int64_t>{0, 2, 3})[i]);
    EXPECT_EQ(piece.end, (std::vector<std::int64_t>{2, 3, 5})[i]);
  }
}

/// Tests row numbers of the largest supported data sets.
TEST(RowsByLeaf, RowsBeyondHalfOfThirtyTwoBits) {
  std::vector<std::int64_t> const n_rows{4};
  RowsByLeaf rows(n_rows, 8);
  std::vector<std::int64_t> const added{2147483647, 2147483648, 3000000000, 4294967294};
  for (auto const row : added) rows.Add(0, row);
  for (std::size_t i = 0; i < added.size(); ++i) EXPECT_EQ(rows.At(static_cast<std::int64_t>(i)), added[i]);
}

}  // namespace
}  // namespace kauri
