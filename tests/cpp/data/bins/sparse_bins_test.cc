#include "data/bins/sparse_bins.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "data/bins/bin_matrix.h"
#include "support/random_matrix.h"

namespace kauri {
namespace {

BinMatrix MakeBins(std::vector<float> values, std::int64_t n_cols, int threads) {
  Context ctx;
  ctx.threads = threads;
  auto const data = testing::MakeMatrix(std::move(values), n_cols, false);
  return {ctx, *data, MakeQuantileCuts(ctx, *data, 256)};
}

/// Returns the cells of a row whose codes are not the most frequent ones, by definition.
std::vector<std::uint16_t> NaiveList(BinMatrix const& bins, std::int64_t row) {
  std::vector<std::uint16_t> cells;
  for (std::size_t feature = 0; feature < bins.Sparse().most_frequent.size(); ++feature) {
    auto const code = bins.FindCode(row, feature);
    if (code == bins.Sparse().most_frequent[feature]) continue;
    cells.push_back(static_cast<std::uint16_t>(bins.FeatureBegin()[feature] + code));
  }
  return cells;
}

TEST(SparseBins, AreThoseOfEachRowAndUsualOnesThatFillUp) {
  for (std::int64_t const n_rows : {1, 3, 1024, 1025, 5000}) {
    for (bool const missing : {false, true}) {
      auto const bins = MakeBins(testing::MakeFlagValues(n_rows, 14, missing, 1), 14, 3);
      auto const& lists = bins.Sparse();
      if (lists.IsEmpty()) {
        EXPECT_LT(n_rows, 100);
        continue;
      }
      ASSERT_EQ(lists.row_ptr.size(), ToSize(n_rows) + 1);
      for (std::int64_t row = 0; row < n_rows; ++row) {
        auto const expected = NaiveList(bins, row);
        auto const* list = lists.cells.data() + lists.row_ptr[row];
        auto const length = lists.row_ptr[row + 1] - lists.row_ptr[row];
        ASSERT_EQ(length, (expected.size() + 3) / 4 * 4) << row;
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), list)) << row;
        for (auto i = expected.size(); i < length; ++i) {
          auto const& begin = bins.FeatureBegin();
          auto const feature = std::upper_bound(begin.begin(), begin.end(), list[i]) - begin.begin() - 1;
          ASSERT_EQ(list[i], begin[feature] + lists.most_frequent[feature]) << row;
        }
      }
    }
  }
}

TEST(SparseBins, AreNotListedWhereMostAreUnusual) {
  testing::MatrixSpec spec;
  spec.n_rows = 3000;
  spec.n_cols = 14;
  spec.n_distinct = 5;
  EXPECT_TRUE(MakeBins(testing::MakeValues(spec), 14, 2).Sparse().IsEmpty());
  EXPECT_TRUE(MakeBins(testing::MakeFlagValues(3000, 4, false, 1), 4, 2).Sparse().IsEmpty()) << "too few to fill up";
}

TEST(SparseBins, DoNotDependOnThreads) {
  auto const values = testing::MakeFlagValues(7000, 20, true, 2);
  auto const one = MakeBins(values, 20, 1);
  auto const many = MakeBins(values, 20, 8);
  EXPECT_EQ(one.Sparse().cells, many.Sparse().cells);
  EXPECT_EQ(one.Sparse().most_frequent, many.Sparse().most_frequent);
}

}  // namespace
}  // namespace kauri
