#include "data/sketch/column_sketch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "data/sketch/gk_sketch.h"
#include "data/sketch/moment_sketch.h"
#include "data/sketch/quantile_sketch.h"
#include "support/random_matrix.h"

namespace kauri {
namespace {

using testing::MakeMatrix;
using testing::MatrixSpec;
using testing::Random;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Column {
  std::vector<float> values;
  std::vector<float> weights;
};

/// Returns a column by kind: continuous, with duplicates, heavy tails, one heavy value, ascending; one value in ten is
/// missing.
Column MakeColumn(int kind, std::size_t n, std::uint64_t seed) {
  Random random(seed);
  Column column;
  for (std::size_t i = 0; i < n; ++i) {
    auto value = random.Normal();
    if (kind == 1) value = static_cast<float>(random.Below(5000));
    if (kind == 2) value = std::pow(static_cast<float>(1.0 - random.Uniform()), -3.0F);
    if (kind == 3 && random.Uniform() < 0.7) value = 0.0F;
    if (kind == 4) value = static_cast<float>(i);
    column.values.push_back(random.Uniform() < 0.1 ? kNan : value);
    column.weights.push_back(random.Below(8) == 0 ? 0.0F : static_cast<float>(random.Uniform()));
  }
  return column;
}

/// Returns the total weight of smaller values, from the definition.
double TrueRank(std::vector<std::pair<float, double>> const& sorted, float value) {
  double rank = 0.0;
  for (auto const& item : sorted) {
    if (item.first >= value) break;
    rank += item.second;
  }
  return rank;
}

std::vector<std::pair<float, double>> Sorted(Column const& column, bool weighted) {
  std::vector<std::pair<float, double>> sorted;
  for (std::size_t i = 0; i < column.values.size(); ++i) {
    if (!std::isnan(column.values[i])) sorted.emplace_back(column.values[i], weighted ? column.weights[i] : 1.0);
  }
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

/// Checks that every stated rank is within the sketch's bound, and that the bound is at most `limit`.
void CheckRanks(ColumnSketch const& sketch, Column const& column, bool weighted, double limit) {
  auto const sorted = Sorted(column, weighted);
  auto const ranks = sketch.Ranks();
  auto const total = TrueRank(sorted, std::numeric_limits<float>::infinity());
  auto const bound = sketch.RankErrorBound();
  EXPECT_LE(bound, limit);
  ASSERT_EQ(ranks.below.size(), ranks.values.size() + 1);
  EXPECT_NEAR(ranks.below.back(), total, 1e-9 * total);
  EXPECT_TRUE(std::is_sorted(ranks.below.begin(), ranks.below.end()));
  EXPECT_TRUE(std::adjacent_find(ranks.values.begin(), ranks.values.end(), std::greater_equal<>()) ==
              ranks.values.end());
  for (std::size_t i = 0; i < ranks.values.size(); i += 37) {
    EXPECT_LE(std::fabs(ranks.below[i] - TrueRank(sorted, ranks.values[i])), (bound + 1e-9) * total);
  }
}

Span<float const> Part(std::vector<float> const& values, std::size_t begin, std::size_t end) {
  return Span<float const>(values).subspan(begin, end - begin);
}

TEST(GkSketch, RanksAreWithinTheBoundForAnyData) {
  for (int kind = 0; kind < 5; ++kind) {
    for (bool const weighted : {false, true}) {
      auto const column = MakeColumn(kind, 20000, 7);
      GkSketch sketch(500);
      for (std::size_t begin = 0; begin < 20000; begin += 1250) {
        auto const weights = weighted ? Part(column.weights, begin, begin + 1250) : Span<float const>();
        sketch.Add(Part(column.values, begin, begin + 1250), weights);
      }
      // 16 parts are pruned up to five times, each time by 1 / 499 of the gap; the error is half of that.
      CheckRanks(sketch, column, weighted, 5.0 / 499.0);
      EXPECT_LT(sketch.Bytes(), std::size_t{6 * 500 * sizeof(GkEntry)});
    }
  }
}

TEST(GkSketch, RanksAreWithinTheBoundForAnyOrderOfMerges) {
  constexpr std::size_t kParts = 24;
  constexpr std::size_t kRows = 500;
  auto const column = MakeColumn(2, kParts * kRows, 3);
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Random random(seed);
    std::vector<GkSketch> parts(kParts, GkSketch(100));
    for (std::size_t i = 0; i < kParts; ++i) {
      parts[i].Add(Part(column.values, i * kRows, (i + 1) * kRows), Part(column.weights, i * kRows, (i + 1) * kRows));
    }
    while (parts.size() > 1) {
      auto const chosen = random.Below(static_cast<std::uint32_t>(parts.size() - 1));
      std::swap(parts[chosen], parts[parts.size() - 2]);
      parts[parts.size() - 2].Merge(parts.back());
      parts.pop_back();
    }
    CheckRanks(parts[0], column, true, 8.0 / 99.0);
  }
}

TEST(GkSketch, FewDistinctValuesAndTinyColumnsAreExact) {
  GkSketch sketch(16);
  for (int i = 0; i < 1000; ++i) {
    std::vector<float> const value{static_cast<float>(i % 16)};
    sketch.Add(value, {});
  }
  EXPECT_EQ(sketch.RankErrorBound(), 0.0);
  auto const ranks = sketch.Ranks();
  ASSERT_EQ(ranks.values.size(), 16U);
  EXPECT_EQ(ranks.below[8], 63.0 * 8.0);
  EXPECT_EQ(ranks.below[16], 1000.0);

  GkSketch empty(16);
  empty.Add(std::vector<float>{kNan, 1.0F}, std::vector<float>{1.0F, 0.0F});
  EXPECT_TRUE(empty.Ranks().values.empty());
  EXPECT_EQ(empty.RankErrorBound(), 0.0);
  sketch.Merge(empty);
  EXPECT_EQ(sketch.Ranks().below, ranks.below);
}

TEST(GkSketch, PruningKeepsTheEndsAndHeavyValues) {
  std::vector<float> values(3000);
  std::iota(values.begin(), values.end(), 0.0F);
  std::vector<float> weights(3000, 1.0F);
  weights[1234] = 3000.0F;
  auto const pruned = PruneSummary(ExactSummary(values, weights), 20);
  EXPECT_LE(pruned.size(), 20U);
  EXPECT_EQ(pruned.front().value, 0.0F);
  EXPECT_EQ(pruned.back().value, 2999.0F);
  EXPECT_EQ(std::count_if(pruned.begin(), pruned.end(), [](GkEntry const& e) { return e.value == 1234.0F; }), 1);
}

double CutError(std::vector<float> const& column, QuantileCuts const& cuts) {
  double largest = 0.0;
  for (std::uint32_t bin = 0; bin + 1 < cuts.NumBins(0); ++bin) {
    auto const below = std::count_if(column.begin(), column.end(), [&](float v) { return v < cuts.values[bin]; });
    auto const share = static_cast<double>(below) / static_cast<double>(column.size());
    largest = std::max(largest, std::fabs(share - (bin + 1.0) / cuts.NumBins(0)));
  }
  return largest;
}

TEST(SketchedCuts, GkIsNearTheExactQuantilesAndItsCutsAreValues) {
  MatrixSpec spec;
  spec.n_rows = 200000;  // four blocks
  spec.n_cols = 1;
  auto const column = testing::MakeValues(spec);
  auto const cuts = MakeQuantileCuts(Context{}, *MakeMatrix(spec), 64, {SketchKind::kGk, {}});
  EXPECT_EQ(cuts.NumBins(0), 64U);
  EXPECT_LT(CutError(column, cuts), 4.0 / 511.0);
  for (std::uint32_t bin = 0; bin < 63; ++bin) {
    EXPECT_GE(std::count(column.begin(), column.end(), cuts.values[bin]), 1) << bin;
  }
}

TEST(SketchedCuts, StorageAndThreadsDoNotMatter) {
  MatrixSpec spec;
  spec.n_rows = 70000;  // two blocks
  spec.n_cols = 3;
  spec.missing = 0.3;
  auto const values = testing::MakeValues(spec);
  auto const weights = MakeColumn(0, 70000, 5).weights;
  for (auto const kind : {SketchKind::kGk, SketchKind::kMoments, SketchKind::kKll}) {
    auto const expected = MakeQuantileCuts(Context{}, *MakeMatrix(values, 3, false), 256, {kind, weights});
    EXPECT_GT(expected.values.size(), 600U);
    for (bool const sparse : {false, true}) {
      Context ctx;
      ctx.threads = 5;
      auto const cuts = MakeQuantileCuts(ctx, *MakeMatrix(values, 3, sparse), 256, {kind, weights});
      EXPECT_EQ(cuts.values, expected.values);
      EXPECT_EQ(cuts.min_values, expected.min_values);
    }
  }
}

TEST(SketchedCuts, FewDistinctValuesEqualTheExactCuts) {
  MatrixSpec spec;
  spec.n_rows = 3000;
  spec.n_cols = 2;
  spec.n_distinct = 64;
  spec.missing = 0.2;
  auto const data = MakeMatrix(spec);
  auto const expected = MakeQuantileCuts(Context{}, *data, 64);
  for (auto const kind : {SketchKind::kGk, SketchKind::kMoments, SketchKind::kKll}) {
    EXPECT_EQ(MakeQuantileCuts(Context{}, *data, 64, {kind, {}}).values, expected.values);
  }
}

TEST(SketchedCuts, MomentsGiveCutsThatAreValuesAndNoEmptyBins) {
  Random random(4);
  std::vector<float> column;
  for (int i = 0; i < 20000; ++i) column.push_back(static_cast<float>(random.Below(400)) * random.Normal());
  auto const cuts = MakeQuantileCuts(Context{}, *MakeMatrix(column, 1, false), 64, {SketchKind::kMoments, {}});
  EXPECT_GT(cuts.NumBins(0), 40U);
  std::vector<int> counts(cuts.NumBins(0));
  for (auto const value : column) ++counts[FindBin(cuts.Of(0), cuts.NumBins(0), value)];
  EXPECT_EQ(std::count(counts.begin(), counts.end(), 0), 0);
  for (std::uint32_t bin = 0; bin + 1 < cuts.NumBins(0); ++bin) {
    EXPECT_NE(std::find(column.begin(), column.end(), cuts.values[bin]), column.end());
  }
}

}  // namespace
}  // namespace kauri
