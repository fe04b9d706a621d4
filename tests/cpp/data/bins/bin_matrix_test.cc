#include "data/bins/bin_matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/random_matrix.h"

namespace kauri {
namespace {

using testing::MakeMatrix;
using testing::MakeValues;
using testing::MatrixSpec;

BinMatrix MakeBins(DataMatrix const& data, int max_bin, int threads = 2) {
  Context ctx;
  ctx.threads = threads;
  return {ctx, data, MakeQuantileCuts(ctx, data, max_bin)};
}

/// Checks that every value lies between the edges of its bin, and that missing values have no bin.
void ExpectCodesFit(BinMatrix const& bins, std::vector<float> const& values) {
  auto const n_cols = static_cast<std::size_t>(bins.NumCols());
  for (std::size_t cell = 0; cell < values.size(); ++cell) {
    auto const feature = cell % n_cols;
    auto const code = bins.FindCode(static_cast<std::int64_t>(cell / n_cols), feature);
    auto const* cuts = bins.Cuts().Of(feature);
    if (std::isnan(values[cell])) {
      ASSERT_EQ(code, bins.MissingCode(feature));
      continue;
    }
    ASSERT_LT(code, bins.NumBins(feature));
    ASSERT_LT(values[cell], cuts[code]);
    if (code > 0) {
      ASSERT_GE(values[cell], cuts[code - 1]);
    }
  }
}

/// Checks that the row-wise copy agrees with FindCode, which reads the column-wise copy.
template <typename Code>
void ExpectCopiesAgree(BinMatrix const& bins, BinCodes<Code> const& codes) {
  EXPECT_EQ(codes.row_stride % BinCodes<Code>::kPerWord, 0);
  EXPECT_GE(codes.row_stride, bins.NumCols());
  for (std::int64_t row = 0; row < bins.NumRows(); ++row) {
    for (std::int64_t feature = 0; feature < bins.NumCols(); ++feature) {
      ASSERT_EQ(codes.rows[row * codes.row_stride + feature], bins.FindCode(row, static_cast<std::size_t>(feature)));
    }
  }
}

TEST(BinMatrix, DenseBytes) {
  for (std::int64_t const n_rows : {1, 2, 31, 33, 257, 1025}) {
    for (std::int64_t const n_cols : {1, 7, 8, 9, 33}) {
      MatrixSpec spec;
      spec.n_rows = n_rows;
      spec.n_cols = n_cols;
      spec.missing = n_cols % 2 == 0 ? 0.0 : 0.2;
      auto const bins = MakeBins(*MakeMatrix(spec), 256);
      ASSERT_TRUE(bins.IsDense() && bins.HasByteCodes());
      ExpectCodesFit(bins, MakeValues(spec));
      ExpectCopiesAgree(bins, bins.Bytes());
    }
  }
}

TEST(BinMatrix, MoreThan256CodesTakeTwoBytes) {
  MatrixSpec spec;
  spec.n_rows = 3000;
  spec.n_cols = 5;
  spec.missing = 0.1;
  auto const bins = MakeBins(*MakeMatrix(spec), 1000);
  ASSERT_TRUE(bins.IsDense() && !bins.HasByteCodes());
  ExpectCodesFit(bins, MakeValues(spec));
  ExpectCopiesAgree(bins, bins.Words());
}

TEST(BinMatrix, A256thValueAndAMissingOneTakeTwoBytes) {
  std::vector<float> values;
  for (int i = 0; i < 256; ++i) values.push_back(static_cast<float>(i));
  EXPECT_TRUE(MakeBins(*MakeMatrix(values, 1, false), 256).HasByteCodes());
  values.push_back(std::numeric_limits<float>::quiet_NaN());
  EXPECT_FALSE(MakeBins(*MakeMatrix(values, 1, false), 256).HasByteCodes());
}

TEST(BinMatrix, SparseEntries) {
  MatrixSpec spec;
  spec.n_rows = 500;
  spec.n_cols = 40;
  spec.missing = 0.9;
  spec.sparse = true;
  auto const bins = MakeBins(*MakeMatrix(spec), 16);
  ASSERT_FALSE(bins.IsDense());
  ExpectCodesFit(bins, MakeValues(spec));
  EXPECT_EQ(bins.NumCells(), bins.Cuts().values.size()) << "no room between features";
}

TEST(BinMatrix, OneHotColumnsShareAColumnPerVariable) {
  for (bool const absent : {false, true}) {
    for (std::uint32_t const n_levels : {3U, 13U, 70U}) {
      auto const values = testing::MakeOneHotValues(700, 4, n_levels, absent, n_levels == 13 ? 0.2 : 0.0);
      auto const n_cols = static_cast<std::int64_t>(values.size()) / 700;
      auto const bins = MakeBins(*MakeMatrix(values, n_cols, absent), 256);
      ExpectCodesFit(bins, values);
      ASSERT_TRUE(bins.HasBundles());
      auto const per_variable = !absent && n_levels == 70 ? 2U : 1U;  // four histogram cells for each dense feature
      EXPECT_EQ(bins.Bundled().bundles.size(), 4 * per_variable) << n_levels << (absent ? " sparse" : " dense");
    }
  }
}

/// Returns 700 rows of a number and a one-hot encoding of two variables of 20 levels.
std::vector<float> NumberAndLevels() {
  constexpr std::size_t kLevels = 40;
  auto const levels = testing::MakeOneHotValues(700, 2, kLevels / 2, true, 0.1);
  std::vector<float> values;
  for (std::size_t row = 0; row < 700; ++row) {
    values.push_back(static_cast<float>(row * 37 % 256));
    values.insert(values.end(), levels.begin() + row * kLevels, levels.begin() + (row + 1) * kLevels);
  }
  return values;
}

TEST(BinMatrix, ANumberOf256BinsHasAColumnBesideBundles) {
  auto values = NumberAndLevels();
  auto const bins = MakeBins(*MakeMatrix(values, 41, true), 256);
  ASSERT_EQ(bins.NumBins(0), 256U);
  ASSERT_EQ(bins.Bundled().bundles.size(), 3U);
  EXPECT_EQ(bins.BundleOffset(0), 0U) << "no code for absence";
  EXPECT_EQ(bins.BundleOffset(1), 1U);
  EXPECT_EQ(bins.NumCells(), 256U + 1 + 20 + 1 + 20);
  ExpectCodesFit(bins, values);
}

TEST(BinMatrix, ANumberOf256BinsThatARowLacksPreventsBundles) {
  auto values = NumberAndLevels();
  values[41 * 500] = std::numeric_limits<float>::quiet_NaN();
  auto const bins = MakeBins(*MakeMatrix(values, 41, true), 256);
  ASSERT_EQ(bins.NumBins(0), 256U);
  EXPECT_FALSE(bins.HasBundles());
  ExpectCodesFit(bins, values);
}

TEST(BinMatrix, RowsThatHaveTwoFeaturesPartThem) {
  auto values = testing::MakeOneHotValues(300, 3, 10, true);
  std::fill_n(values.begin() + 5 * 30, 10, std::numeric_limits<float>::quiet_NaN());
  values[5 * 30 + 3] = values[5 * 30 + 4] = 1.0F;  // two levels of the first variable
  auto const bins = MakeBins(*MakeMatrix(values, 30, true), 256);
  ASSERT_EQ(bins.Bundled().bundles.size(), 4U);
  EXPECT_EQ(bins.Bundled().bundles[1].first, 4U);
  EXPECT_EQ(bins.Bundled().bundles[2].first, 10U);
  ExpectCodesFit(bins, values);
}

TEST(BinMatrix, BundlesThatDoNotPayAreNotMade) {
  MatrixSpec spec;
  spec.n_rows = 500;
  spec.n_cols = 40;
  spec.missing = 0.97;
  spec.sparse = true;
  EXPECT_FALSE(MakeBins(*MakeMatrix(spec), 16).HasBundles()) << "one entry in a row, but more bundles";
  spec.missing = 0.0;
  spec.sparse = false;
  EXPECT_FALSE(MakeBins(*MakeMatrix(spec), 16).HasBundles());
}

TEST(BinMatrix, CellsOfFeaturesDoNotOverlap) {
  for (int const max_bin : {2, 64, 128, 250, 256, 400}) {
    MatrixSpec spec;
    spec.n_rows = 2000;
    spec.n_cols = 12;
    spec.missing = max_bin == 64 ? 0.2 : 0.0;
    auto const bins = MakeBins(*MakeMatrix(spec), max_bin);
    for (std::size_t feature = 0; feature < 12; ++feature) {
      auto const codes = bins.NumBins(feature) + (bins.MissingCode(feature) == kNoCode ? 0 : 1);
      EXPECT_GE(bins.FeatureBegin()[feature + 1] - bins.FeatureBegin()[feature], codes);
      if (bins.HasEvenCells()) {
        EXPECT_EQ(bins.FeatureBegin()[feature], feature * kEvenCells);
      }
    }
    EXPECT_EQ(bins.HasEvenCells(), max_bin == 250 || max_bin == 256);
  }
}

TEST(BinMatrix, ConstantAndMissingColumns) {
  auto const nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> const values{5.0F, nan, 5.0F, nan, 5.0F, nan};
  auto const bins = MakeBins(*MakeMatrix(values, 2, false), 256);
  EXPECT_EQ(bins.NumBins(0), 1U);
  EXPECT_EQ(bins.MissingCode(0), kNoCode);
  EXPECT_EQ(bins.MissingCode(1), 1U);
  ExpectCodesFit(bins, values);
}

TEST(BinMatrix, ThreadsDoNotMatter) {
  MatrixSpec spec;
  spec.n_rows = 3000;
  spec.n_cols = 9;
  spec.missing = 0.05;
  auto const data = MakeMatrix(spec);
  auto const expected = MakeBins(*data, 256, 1);
  for (int const threads : {2, 3, 8}) {
    auto const bins = MakeBins(*data, 256, threads);
    EXPECT_EQ(bins.Bytes().rows, expected.Bytes().rows);
    EXPECT_EQ(bins.Bytes().columns, expected.Bytes().columns);
    EXPECT_EQ(bins.FeatureBegin(), expected.FeatureBegin());
  }
  for (bool const absent : {false, true}) {
    auto const one_hot = MakeMatrix(testing::MakeOneHotValues(9000, 3, 20, absent), 60, absent);
    auto const bundled = MakeBins(*one_hot, 256, 1).Bundled().codes;
    for (int const threads : {2, 3}) {
      auto const codes = MakeBins(*one_hot, 256, threads).Bundled().codes;
      EXPECT_EQ(codes.rows, bundled.rows);
      EXPECT_EQ(codes.columns, bundled.columns);
    }
  }
}

}  // namespace
}  // namespace kauri
