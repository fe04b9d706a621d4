#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "tree/sampling/gradient_sampling.h"
#include "tree/sampling/sampling.h"

namespace kauri {
namespace {

using Pairs = std::vector<GradientPair>;

Pairs MakePairs(std::int64_t n) {
  Pairs pairs;
  for (std::int64_t i = 0; i < n; ++i) {
    pairs.push_back({static_cast<float>(i % 13) - 6.3F, 0.1F + static_cast<float>(i % 7)});
  }
  return pairs;
}

std::map<std::int64_t, std::int64_t> NumbersOf(RowNumbers const& numbers, std::int64_t begin, std::int64_t end) {
  std::map<std::int64_t, std::int64_t> found;
  numbers.ForEach(begin, end, [&](std::int64_t row, std::int64_t number) { found[row] = number; });
  return found;
}

TEST(RowNumbers, OfQueriesAreThoseOfTheirFirstRows) {
  std::vector<std::int64_t> const queries{0, 2, 2, 5, 6};
  EXPECT_EQ(NumbersOf(RowNumbers({}, queries), 0, 6),
            (std::map<std::int64_t, std::int64_t>{{0, 0}, {1, 0}, {2, 2}, {3, 2}, {4, 2}, {5, 5}}));
  EXPECT_EQ(NumbersOf(RowNumbers({}, queries), 3, 5), (std::map<std::int64_t, std::int64_t>{{3, 2}, {4, 2}}));
  // The third query is in two adjacent ranges.
  std::vector<RowRange> const ranges{{10, 3}, {13, 2}, {40, 1}};
  EXPECT_EQ(NumbersOf(RowNumbers(ranges, queries), 0, 6),
            (std::map<std::int64_t, std::int64_t>{{0, 10}, {1, 10}, {2, 12}, {3, 12}, {4, 12}, {5, 40}}));
}

TEST(SampleRows, DrawsQueriesWhole) {
  constexpr std::int64_t kQueries = 40000;
  std::vector<std::int64_t> queries{0};
  for (std::int64_t query = 0; query < kQueries; ++query) queries.push_back(queries.back() + query % 4);
  auto const used = SampleRows({}, 1, 0, 0.3F, queries.back(), RowNumbers({}, queries));
  double n_used = 0.0;
  double n_drawn = 0.0;
  for (std::int64_t query = 0; query < kQueries; ++query) {
    auto const begin = queries[query];
    if (begin == queries[query + 1]) continue;
    n_drawn += 1.0;
    n_used += used[begin];
    for (auto row = begin; row < queries[query + 1]; ++row) ASSERT_EQ(used[row], used[begin]) << row;
  }
  EXPECT_NEAR(n_used, 0.3 * n_drawn, 4.0 * std::sqrt(0.21 * n_drawn));
}

/// The moments of (-ln u)^t are given by the gamma function.
TEST(BootstrapWeight, HasTheMomentsOfItsDistribution) {
  constexpr std::int64_t kRows = 200000;
  for (double const temperature : {0.3, 1.0, 1.5}) {
    double sum = 0.0;
    double squares = 0.0;
    for (std::int64_t row = 0; row < kRows; ++row) {
      auto const weight = BootstrapWeight(5, row, temperature);
      ASSERT_GE(weight, 1.0 / 1024.0);
      ASSERT_EQ(weight * 1024.0, std::nearbyint(weight * 1024.0));
      sum += weight;
      squares += weight * weight;
    }
    auto const mean = std::tgamma(1.0 + temperature);
    auto const second = std::tgamma(1.0 + 2.0 * temperature);
    auto const fourth = std::tgamma(1.0 + 4.0 * temperature);
    EXPECT_NEAR(sum / kRows, mean, 5.0 * std::sqrt((second - mean * mean) / kRows) + 1e-3);
    EXPECT_NEAR(squares / kRows, second, 5.0 * std::sqrt((fourth - second * second) / kRows) + 2e-3);
  }
  EXPECT_EQ(BootstrapWeight(5, 7, 0.0), 1.0);
}

TEST(WeighRows, MultipliesThePairsOfSomeOutputs) {
  constexpr std::int64_t kRows = 50;
  auto const pairs = MakePairs(3 * kRows);
  RowNumbers const numbers({});
  std::vector<std::uint8_t> used(kRows, 1);
  used[4] = 0;
  auto const sample = WeighRows({}, pairs, 3, {1, 3}, {0.7, 11, numbers}, used);
  EXPECT_EQ(sample.used, used);
  ASSERT_EQ(sample.pairs.size(), 2U * kRows);
  for (std::int64_t row = 0; row < kRows; ++row) {
    auto const weight = row == 4 ? 0.0 : BootstrapWeight(11, row, 0.7);
    for (std::int64_t output = 0; output < 2; ++output) {
      auto const& given = pairs[row * 3 + output + 1];
      EXPECT_FLOAT_EQ(sample.pairs[row * 2 + output].gradient, static_cast<float>(given.gradient * weight)) << row;
      EXPECT_FLOAT_EQ(sample.pairs[row * 2 + output].hessian, static_cast<float>(given.hessian * weight)) << row;
    }
  }
}

TEST(WeighRows, ThreadsDoNotMatterNorWhereRowsAre) {
  constexpr std::int64_t kRows = 60000;
  auto const pairs = MakePairs(kRows);
  RowNumbers const numbers({});
  Context eight;
  eight.threads = 8;
  auto const one = WeighRows({}, pairs, 1, 0, {1.0, 3, numbers}, {});
  auto const many = WeighRows(eight, pairs, 1, 0, {1.0, 3, numbers}, {});
  EXPECT_EQ(one.chances, many.chances);
  EXPECT_TRUE(one.used.empty());
  std::vector<RowRange> const ranges{{500, 100}, {7, 2}};
  Pairs const mine(pairs.begin(), pairs.begin() + 102);
  auto const here = WeighRows({}, mine, 1, 0, {1.0, 3, RowNumbers(ranges)}, {});
  EXPECT_EQ(here.chances[0], one.chances[500]);
  EXPECT_EQ(here.chances[101], one.chances[8]);
}

}  // namespace
}  // namespace kauri
