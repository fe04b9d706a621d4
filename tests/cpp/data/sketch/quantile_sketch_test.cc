#include "data/sketch/quantile_sketch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "data/sketch/cut_weights.h"
#include "support/random_matrix.h"

namespace kauri {
namespace {

using testing::MakeMatrix;
using testing::MakeValues;
using testing::MatrixSpec;
using testing::Random;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

QuantileCuts CutsOfColumn(std::vector<float> const& column, int max_bin = 256) {
  return MakeQuantileCuts(Context{}, *MakeMatrix(column, 1, false), max_bin);
}

/// Counts the values of each bin by the definition: cuts[b - 1] <= value < cuts[b].
std::vector<std::int64_t> CountBins(QuantileCuts const& cuts, std::vector<float> const& column) {
  std::vector<std::int64_t> counts(cuts.NumBins(0), 0);
  for (auto const value : column) {
    if (std::isnan(value)) continue;
    std::size_t bin = 0;
    while (bin < counts.size() && value >= cuts.Of(0)[bin]) ++bin;
    EXPECT_LT(bin, counts.size()) << value;
    if (bin < counts.size()) ++counts[bin];
  }
  return counts;
}

TEST(QuantileSketch, FewDistinctValuesGetTheCutsThatXgboostGives) {
  // Measured with XGBoost 3.2: cuts 2, 4, 8, 16.00001 for {1, 2, 4, 8}.
  auto const cuts = CutsOfColumn({4.0F, 1.0F, 8.0F, 2.0F, 2.0F});
  EXPECT_EQ(cuts.values, (std::vector<float>{2.0F, 4.0F, 8.0F, 16.00001F}));
  EXPECT_EQ(cuts.min_values, (std::vector<float>{-1e-5F}));
  EXPECT_EQ(CutsOfColumn({5.0F, 5.0F}).values, (std::vector<float>{10.00001F}));
  EXPECT_EQ(CutsOfColumn({kNan, kNan}).values, (std::vector<float>{1e-5F}));
  EXPECT_EQ(CutsOfColumn({-3.0F}).min_values, (std::vector<float>{-6.00001F}));
  EXPECT_EQ(CutsOfColumn({59.0F}).values, (std::vector<float>{118.00001F})) << "rounded once";
}

TEST(QuantileSketch, BothZerosAreOneValue) {
  EXPECT_EQ(CutsOfColumn({-0.0F, 0.0F, 1.0F}).values, (std::vector<float>{1.0F, 2.00001F}));
}

TEST(QuantileSketch, DistinctValuesAreKeptUpToTheLimit) {
  for (int const n_distinct : {1, 2, 15, 16, 17}) {
    std::vector<float> column;
    for (int i = 0; i < n_distinct * 3; ++i) column.push_back(static_cast<float>(i % n_distinct) - 7.0F);
    auto const cuts = CutsOfColumn(column, 16);
    EXPECT_EQ(cuts.NumBins(0), static_cast<std::uint32_t>(std::min(n_distinct, 16))) << n_distinct;
  }
}

TEST(QuantileSketch, CutsAscendAreValuesAndEndBeyondTheMaximum) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    MatrixSpec spec;
    spec.n_rows = 3000;
    spec.n_cols = 3;
    spec.missing = seed % 3 == 0 ? 0.4 : 0.0;
    spec.n_distinct = seed % 2 == 0 ? 0 : 700;
    spec.sparse = seed % 5 == 0;
    spec.seed = seed;
    auto const values = MakeValues(spec);
    auto const cuts = MakeQuantileCuts(Context{}, *MakeMatrix(spec), 64);
    for (std::size_t feature = 0; feature < 3; ++feature) {
      std::set<float> present;
      for (std::size_t i = feature; i < values.size(); i += 3) {
        if (!std::isnan(values[i])) present.insert(values[i]);
      }
      auto const* begin = cuts.Of(feature);
      auto const* last = begin + cuts.NumBins(feature) - 1;
      EXPECT_LE(cuts.NumBins(feature), 64U);
      EXPECT_TRUE(std::adjacent_find(begin, last + 1, std::greater_equal<>()) == last + 1);
      EXPECT_TRUE(std::all_of(begin, last, [&](float cut) { return present.count(cut) == 1; }));
      EXPECT_GT(*last, *present.rbegin());
      EXPECT_GT(begin[0], *present.begin()) << "the first bin is not empty";
      EXPECT_LT(cuts.min_values[feature], *present.begin());
    }
  }
}

TEST(QuantileSketch, BinsOfContinuousValuesHoldEvenShares) {
  MatrixSpec spec;
  spec.n_rows = 100000;
  spec.n_cols = 1;
  auto const column = MakeValues(spec);
  for (int const max_bin : {2, 17, 256, 1000}) {
    auto const cuts = CutsOfColumn(column, max_bin);
    ASSERT_EQ(cuts.NumBins(0), static_cast<std::uint32_t>(max_bin));
    auto const counts = CountBins(cuts, column);
    std::int64_t rank = 0;
    for (std::size_t bin = 0; bin < counts.size(); ++bin) {
      rank += counts[bin];
      auto const expected = 1e5 * static_cast<double>(bin + 1) / max_bin;
      EXPECT_LT(std::fabs(static_cast<double>(rank) - expected), 1e5 / (8.0 * max_bin)) << max_bin << " " << bin;
    }
  }
}

TEST(QuantileSketch, FrequentValueTakesOneBinAndTheRestShareTheOthers) {
  Random random(3);
  std::vector<float> column(20000, 0.0F);
  for (std::size_t i = 0; i < 2000; ++i) column[i * 10] = random.Normal();
  auto const cuts = CutsOfColumn(column, 32);
  auto const counts = CountBins(cuts, column);
  EXPECT_GE(counts.size(), 30U);
  EXPECT_EQ(std::count_if(counts.begin(), counts.end(), [](std::int64_t n) { return n > 1000; }), 1);
}

TEST(QuantileSketch, MissingValuesLeaveRoomForTheirCodeInAByte) {
  MatrixSpec spec;
  spec.n_rows = 5000;
  spec.n_cols = 1;
  spec.missing = 0.1;
  EXPECT_EQ(MakeQuantileCuts(Context{}, *MakeMatrix(spec), 256).NumBins(0), 255U);
  EXPECT_EQ(MakeQuantileCuts(Context{}, *MakeMatrix(spec), 300).NumBins(0), 300U);
}

/// Includes lengths for which ranks are selected without sorting the column (data/sketch/selected_keys.h).
TEST(QuantileSketch, AsManyValuesAsBinsAreKeptBesideMissingOnes) {
  for (int const n_rows : {3000, 140000}) {
    std::vector<float> column;
    for (int row = 0; row < n_rows; ++row) {
      auto const value = std::ldexp(1.0F + static_cast<float>(row % 128) / 128.0F, row / 128 % 2);
      column.push_back(row % 1000 == 999 ? kNan : value);
    }
    EXPECT_EQ(CutsOfColumn(column, 256).NumBins(0), 256U) << n_rows << " rows";
  }
}

TEST(QuantileSketch, StorageAndThreadsDoNotMatter) {
  MatrixSpec spec;
  spec.n_rows = 6000;
  spec.n_cols = 35;
  spec.missing = 0.3;
  auto const values = MakeValues(spec);
  spec.missing = 0.7;
  auto const rare = MakeValues(spec);
  for (auto const& table : {values, rare}) {
    auto const expected = MakeQuantileCuts(Context{}, *MakeMatrix(table, 35, false), 256);
    for (int const threads : {1, 2, 3, 8, 40}) {
      Context ctx;
      ctx.threads = threads;
      for (bool const sparse : {false, true}) {
        auto const cuts = MakeQuantileCuts(ctx, *MakeMatrix(table, 35, sparse), 256);
        EXPECT_EQ(cuts.values, expected.values);
        EXPECT_EQ(cuts.feature_begin, expected.feature_begin);
        EXPECT_EQ(cuts.min_values, expected.min_values);
      }
    }
  }
}

/// Returns the bin edges of one column where row i has weight weights[i].
QuantileCuts WeightedCuts(std::vector<float> const& column, std::vector<float> const& weights, int max_bin,
                          bool sparse = false) {
  return MakeQuantileCuts(Context{}, *MakeMatrix(column, 1, sparse), max_bin, {nullptr, weights});
}

TEST(QuantileSketch, WholeWeightsAreRepeatedRows) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    std::vector<float> column;
    std::vector<float> weights;
    std::vector<float> repeated;
    for (int i = 0; i < 3000; ++i) {
      auto const value = seed % 3 == 0 ? static_cast<float>(random.Below(300)) : random.Normal();
      column.push_back(random.Uniform() < 0.1 ? kNan : value);
      weights.push_back(static_cast<float>(random.Below(4)));
      repeated.insert(repeated.end(), static_cast<std::size_t>(weights.back()), column.back());
    }
    for (int const max_bin : {2, 64, 255, 4000}) {
      auto const expected = CutsOfColumn(repeated, max_bin);
      for (bool const sparse : {false, true}) {
        auto const cuts = WeightedCuts(column, weights, max_bin, sparse);
        auto const n = expected.values.size() - 1;  // the last edge is also beyond rows without weight
        ASSERT_EQ(cuts.values.size() - 1, n);
        EXPECT_TRUE(std::equal(cuts.values.begin(), cuts.values.end() - 1, expected.values.begin()));
      }
    }
  }
}

TEST(QuantileSketch, RowsWithoutWeightOnlyWidenTheBounds) {
  auto const cuts = WeightedCuts({-9.0F, 1.0F, 2.0F, 3.0F, 4.0F, 9.0F}, {0.0F, 1.0F, 0.0F, 2.0F, 1.0F, 0.0F}, 256);
  EXPECT_EQ(cuts.values, (std::vector<float>{3.0F, 4.0F, 18.00001F}));
  EXPECT_EQ(cuts.min_values, (std::vector<float>{-18.00001F}));
  EXPECT_EQ(WeightedCuts({1.0F, 2.0F, kNan}, {0.0F, 0.0F, 1.0F}, 256).values, (std::vector<float>{4.00001F}));
}

TEST(QuantileSketch, WeightsMoveTheCuts) {
  Random random(1);
  std::vector<float> column;
  std::vector<float> weights;
  for (int i = 0; i < 50000; ++i) {
    column.push_back(random.Normal());
    weights.push_back(column.back() > 0.0F ? 9.0F : 1.0F);  // a tenth of the weight is below 0
  }
  auto const cuts = WeightedCuts(column, weights, 100);
  ASSERT_EQ(cuts.NumBins(0), 100U);
  EXPECT_LT(cuts.values[8], 0.0F);
  EXPECT_GT(cuts.values[10], 0.0F);
}

TEST(CutWeights, AreOfRowsAndEmptyWhereAllAreEqual) {
  MetaInfo info;
  info.n_rows = 5;
  EXPECT_TRUE(CutWeights({}, info).empty());
  info.weights = {2.0F, 2.0F, 2.0F, 2.0F, 2.0F};
  EXPECT_TRUE(CutWeights({}, info).empty());
  info.weights = {1.0F, 2.0F, 3.0F, 4.0F, 5.0F};
  EXPECT_EQ(CutWeights({}, info), info.weights);
  info.group_ptr = {0, 2, 5};
  info.weights = {1.0F, 3.0F};
  EXPECT_EQ(CutWeights({}, info), (std::vector<float>{1.0F, 1.0F, 3.0F, 3.0F, 3.0F}));
}

TEST(QuantileSketch, CutsAreTheLastBoundariesUpToTheirSteps) {
  // With eight rows and two bins a step ends at rank 4: the boundaries are 3 and 6, then 2 and 5, then 4.
  EXPECT_EQ(CutsOfColumn({0, 0, 0, 1, 1, 1, 2, 2}, 2).values[0], 1.0F);
  EXPECT_EQ(CutsOfColumn({0, 0, 1, 1, 1, 2, 2, 2}, 2).values[0], 1.0F);
  EXPECT_EQ(CutsOfColumn({0, 0, 1, 1, 2, 2, 3, 3}, 2).values[0], 2.0F);
  // The first value fills the step, so the edge follows it.
  EXPECT_EQ(CutsOfColumn({0, 0, 0, 0, 0, 1, 2, 3}, 2).values[0], 1.0F);
}

TEST(QuantileSketch, ExtremesAndNoRows) {
  constexpr float kMax = std::numeric_limits<float>::max();
  auto const cuts = CutsOfColumn({-kMax, 1e-45F, -1e-45F, kMax});
  EXPECT_EQ(cuts.values, (std::vector<float>{-1e-45F, 1e-45F, kMax, std::numeric_limits<float>::infinity()}));
  EXPECT_EQ(cuts.min_values, (std::vector<float>{-kMax}));
  EXPECT_EQ(MakeQuantileCuts(Context{}, *DataMatrix::FromDense({}, 0, 2), 256).values,
            (std::vector<float>{1e-5F, 1e-5F}));
}

TEST(FindBin, IsTheNumberOfCutsAtOrBelowButAtMostTheLast) {
  std::vector<float> cuts;
  for (int n = 1; n < 40; ++n) {
    cuts.push_back(static_cast<float>(n));
    for (float value = 0.5F; value < 41.0F; value += 0.5F) {
      auto const below = std::upper_bound(cuts.begin(), cuts.end(), value) - cuts.begin();
      EXPECT_EQ(FindBin(cuts.data(), static_cast<std::uint32_t>(n), value), std::min<std::ptrdiff_t>(below, n - 1));
    }
  }
}

}  // namespace
}  // namespace kauri
