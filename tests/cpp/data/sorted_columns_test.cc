#include "data/sorted_columns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "support/random_matrix.h"

namespace kauri {
namespace {

using testing::MakeMatrix;
using testing::MatrixSpec;

SortedColumns Sort(DataMatrix const& data, int threads = 2) {
  Context ctx;
  ctx.threads = threads;
  return {ctx, data};
}

std::vector<std::pair<float, std::uint32_t>> SortNaively(std::vector<float> const& values, std::size_t n_cols,
                                                         std::size_t feature) {
  std::vector<std::pair<float, std::uint32_t>> column;
  for (std::size_t row = 0; row * n_cols < values.size(); ++row) {
    auto const value = values[row * n_cols + feature];
    if (!std::isnan(value)) column.emplace_back(value, static_cast<std::uint32_t>(row));
  }
  std::sort(column.begin(), column.end());
  return column;
}

void ExpectSorted(std::vector<float> const& values, std::int64_t n_cols, bool sparse) {
  auto const data = MakeMatrix(values, n_cols, sparse);
  auto const sorted = Sort(*data);
  EXPECT_EQ(sorted.NumCols(), n_cols);
  EXPECT_EQ(sorted.NumEntries(), data->NumEntries());
  for (std::int64_t feature = 0; feature < n_cols; ++feature) {
    auto const expected = SortNaively(values, static_cast<std::size_t>(n_cols), static_cast<std::size_t>(feature));
    auto const column = sorted.Column(feature);
    ASSERT_EQ(column.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(column[i].value, expected[i].first) << feature << " " << i;
      ASSERT_EQ(column[i].row, expected[i].second) << feature << " " << i;
      ASSERT_FALSE(std::signbit(column[i].value) && column[i].value == 0.0F);
    }
    EXPECT_EQ(sorted.IsComplete(feature), static_cast<std::int64_t>(expected.size()) == data->NumRows());
    EXPECT_EQ(sorted.IsConstant(feature), !expected.empty() && expected.front().first == expected.back().first);
  }
}

TEST(SortedColumns, EqualsStdSort) {
  std::uint64_t seed = 0;
  // both sides of the threshold for radix sort
  for (std::int64_t const n_rows : {1, 2, 31, 33, 257, 1023, 1024, 5000}) {
    for (double const missing : {0.0, 0.3, 0.9}) {
      for (std::uint32_t const n_distinct : {0U, 1U, 7U}) {
        for (bool const sparse : {false, true}) {
          ExpectSorted(testing::MakeValues({n_rows, 3, missing, n_distinct, sparse, ++seed}), 3, sparse);
        }
      }
    }
  }
}

TEST(SortedColumns, ExtremeValuesAndBothZeros) {
  auto const max = std::numeric_limits<float>::max();
  auto const tiny = std::numeric_limits<float>::denorm_min();
  std::vector<float> values;
  for (int i = 0; i < 400; ++i) {
    for (auto const value :
         {0.0F, -max, tiny, 1.0F, -0.0F, max, -tiny, -1.0F, std::numeric_limits<float>::quiet_NaN()}) {
      values.push_back(value);
    }
  }
  for (bool const sparse : {false, true}) ExpectSorted(values, 1, sparse);
}

TEST(SortedColumns, WideSparseAndNoRows) {
  ExpectSorted(testing::MakeValues({20, 300, 0.97, 0, true, 1}), 300, true);
  auto const none = MakeMatrix(std::vector<float>{}, 3, false);
  auto const sorted = Sort(*none);
  EXPECT_EQ(sorted.NumEntries(), 0);
  EXPECT_TRUE(sorted.Column(2).empty());
  EXPECT_FALSE(sorted.IsConstant(0));
}

TEST(SortedColumns, ThreadsChangeNothing) {
  auto const data = MakeMatrix(MatrixSpec{4000, 9, 0.2, 50, true, 4});
  auto const one = Sort(*data, 1);
  auto const eight = Sort(*data, 8);
  EXPECT_EQ(one.ColumnPtr(), eight.ColumnPtr());
  auto const same = [](ColumnEntry a, ColumnEntry b) { return a.row == b.row && a.value == b.value; };
  EXPECT_TRUE(std::equal(one.Entries().begin(), one.Entries().end(), eight.Entries().begin(), same));
}

}  // namespace
}  // namespace kauri
