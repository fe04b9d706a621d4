#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "data/sketch/gk_sketch.h"
#include "data/sketch/quantile_sketch.h"
#include "data/sketch/sketch_method.h"
#include "data/sketch/sketched_cuts.h"
#include "support/random_matrix.h"

namespace kauri {
namespace {

using testing::CheckFewDistinctValues;
using testing::CheckStorageAndThreads;
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
  auto const cuts = MakeQuantileCuts(Context{}, *MakeMatrix(spec), 64, {std::make_shared<GkMethod>(), {}});
  EXPECT_EQ(cuts.NumBins(0), 64U);
  EXPECT_LT(CutError(column, cuts), 4.0 / 511.0);
  for (std::uint32_t bin = 0; bin < 63; ++bin) {
    EXPECT_GE(std::count(column.begin(), column.end(), cuts.values[bin]), 1) << bin;
  }
}

TEST(SketchedCuts, StorageAndThreadsDoNotMatter) { CheckStorageAndThreads(std::make_shared<GkMethod>()); }

TEST(SketchedCuts, FewDistinctValuesEqualTheExactCuts) { CheckFewDistinctValues(std::make_shared<GkMethod>()); }

TEST(QuantilesOf, AreTheLeastValuesThatReachTheShare) {
  ColumnRanks const ranks{{1.0F, 2.0F, 5.0F}, {0.0, 1.0, 3.0, 4.0}};
  EXPECT_EQ(QuantilesOf(ranks, std::vector<double>{0.0, 0.25, 0.26, 0.75, 0.76, 1.0}),
            (std::vector<float>{1.0F, 1.0F, 2.0F, 2.0F, 5.0F, 5.0F}));
  EXPECT_TRUE(std::isnan(QuantilesOf(ColumnRanks(), std::vector<double>{0.5})[0]));
}

}  // namespace
}  // namespace kauri
