/// Tests of all columns at once, compared with one row and one column at a time.
#include "tree/random_thresholds/drawn_columns.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <array>
#include <set>
#include <vector>

#include "common/random/random.h"
#include "support/random_matrix.h"

namespace kauri {
namespace {

/// A table of codes and integers generated from a seed.
struct Table {
  std::int64_t n_columns;
  std::vector<std::uint8_t> codes;
  NodeCodes rows;

  Table(std::int64_t n_rows, std::int64_t width, std::int64_t n_sums, std::uint64_t seed)
      : n_columns(width), codes(static_cast<std::size_t>(3 * n_rows * width + 8)) {
    for (std::size_t i = 0; i < codes.size(); ++i) {
      // Columns with few codes and with all codes.
      codes[i] = static_cast<std::uint8_t>(RandomBelow(seed, i, i % 3 == 0 ? 256 : i % 3 == 1 ? 5 : 70));
    }
    rows.codes = codes.data();
    rows.n_sums = n_sums;
    auto const read = [&](std::int64_t row, std::int64_t* to) {
      for (std::int64_t k = 0; k < n_sums; ++k) {
        to[k] = static_cast<std::int64_t>(RandomBits(seed + 1, static_cast<std::uint64_t>(row * n_sums + k))) >> 24;
      }
      return row % 5 == 0 ? RowKind::kAddsNothing : RowKind::kIsSeen;
    };
    std::vector<std::uint32_t> numbers;
    for (std::int64_t row = 0; row < n_rows; ++row) numbers.push_back(static_cast<std::uint32_t>(3 * row));
    EXPECT_TRUE(rows.Gather({numbers.data(), 0, n_rows}, width, read));
  }

  std::uint8_t Code(std::int64_t row, std::int64_t column) const { return codes[rows.places[row] + column]; }
};

std::vector<Table> Tables() {
  std::vector<Table> tables;
  std::uint64_t seed = 0;
  for (std::int64_t const n_rows : {0, 1, 7, 200, 1000}) {
    for (std::int64_t const n_columns : {8, 40}) {
      for (std::int64_t const n_sums : {1, 2, 3, 7, 10, 16, 23}) tables.emplace_back(n_rows, n_columns, n_sums, ++seed);
    }
  }
  return tables;
}

/// Calls fn() for every vector instruction set of this machine.
template <typename Fn>
void OnAllTargets(Fn&& fn) {
  for (auto remaining = hwy::SupportedTargets(); remaining != 0; remaining &= remaining - 1) {
    hwy::SetSupportedTargetsForTest(remaining & -remaining);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    fn();
    hwy::SetSupportedTargetsForTest(0);
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(NodeCodes, RowsThatAddNothingAreLeftOut) {
  Table const table(100, 8, 2, 1);
  EXPECT_EQ(table.rows.NumRows(), 80);  // a fifth of 0, 3, ..., 297 are multiples of 5
  NodeCodes rows;
  rows.n_sums = 1;
  EXPECT_FALSE(rows.Gather({nullptr, 0, 9}, 8, [](std::int64_t row, std::int64_t*) {
    return row == 8 ? RowKind::kMayCancel : RowKind::kIsSeen;
  }));
}

void ExpectUsedCodes() {
  std::vector<std::uint8_t> flags(kTileColumns * kTileCodes, 0);
  for (auto const& table : Tables()) {
    for (std::int64_t column = 0; column < table.n_columns; column += kTileColumns) {
      std::array<UsedCodes, kTileColumns> used;
      FindUsedCodes(table.rows, column, flags.data(), &used);
      for (std::int64_t i = 0; i < kTileColumns; ++i) {
        std::set<std::uint32_t> expected;
        for (std::int64_t row = 0; row < table.rows.NumRows(); ++row) expected.insert(table.Code(row, column + i));
        ASSERT_EQ(used[i].Count(), static_cast<std::int32_t>(expected.size()));
        std::int64_t n = 0;
        for (auto const code : expected) ASSERT_EQ(used[i].At(n++), code);
        for (std::uint32_t code = 0; code < 256; ++code) ASSERT_EQ(used[i].Has(code), expected.count(code) == 1);
      }
      for (auto const flag : flags) ASSERT_EQ(flag, 0);
    }
  }
}

void ExpectSumsBelow() {
  for (auto const& table : Tables()) {
    std::vector<std::uint8_t> below(table.n_columns);
    for (std::size_t column = 0; column < below.size(); ++column) {
      // Whole tiles and single columns have no threshold.
      below[column] = column / 8 % 3 == 1 || column % 4 == 1 ? 0 : static_cast<std::uint8_t>(1 + column * 53 % 255);
    }
    std::vector<std::int64_t> sums(table.n_columns * table.rows.n_sums, 7);
    SumBelow(table.rows, below, sums.data());
    for (std::int64_t k = 0; k < table.rows.n_sums; ++k) {
      for (std::int64_t column = 0; column < table.n_columns; ++column) {
        std::int64_t expected = 0;
        for (std::int64_t row = 0; row < table.rows.NumRows(); ++row) {
          auto const is_below = table.Code(row, column) < below[column];
          expected += is_below ? table.rows.values[row * table.rows.n_sums + k] : 0;
        }
        ASSERT_EQ(sums[k * table.n_columns + column], expected);
      }
    }
  }
}

TEST(DrawnColumns, WhereMostColumnsAreFreeOfMissingValues) {
  auto const bins_of = [](double missing, int max_bin) {
    testing::MatrixSpec spec;
    spec.n_rows = 2000;
    spec.n_cols = 4;
    spec.missing = missing;
    auto const data = testing::MakeMatrix(spec);
    return BinMatrix(Context{}, *data, MakeQuantileCuts(Context{}, *data, max_bin));
  };
  EXPECT_TRUE(DrawsMostColumns(bins_of(0.0, 256)));
  EXPECT_FALSE(DrawsMostColumns(bins_of(0.2, 256)));
  EXPECT_FALSE(DrawsMostColumns(bins_of(0.0, 600)));  // two-byte codes
}

TEST(NodeCodes, UsedCodesAreThoseOfTheRows) { OnAllTargets(ExpectUsedCodes); }
TEST(NodeCodes, SumsOfRowsBelow) { OnAllTargets(ExpectSumsBelow); }

}  // namespace
}  // namespace kauri
