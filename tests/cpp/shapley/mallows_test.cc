#include "shapley/mallows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "shapley/order_sets.h"
#include "support/error.h"

namespace kauri {
namespace {

Span<std::uint32_t const> Row(std::vector<std::uint32_t> const& ranks, std::int32_t d, std::int64_t i) {
  return {ranks.data() + i * d, d};
}

TEST(Mallows, DisagreementsAreThoseOfTheDefinition) {
  for (std::int32_t const d : {2, 3, 11, 12, 31, 32, 33, 65, 200}) {
    auto const ranks = RanksOf(Sampled(OrderSampler::kMonteCarlo, d, 12, 5));
    PairBits const pairs(d);
    std::vector<std::uint64_t> words(ToSize(12 * pairs.Width()));
    for (std::int64_t i = 0; i < 12; ++i) pairs.Write(Row(ranks, d, i), words.data() + i * pairs.Width());
    for (std::int64_t i = 0; i < 12; ++i) {
      for (std::int64_t j = 0; j < 12; ++j) {
        auto const expected = NaiveDiscordant(Row(ranks, d, i), Row(ranks, d, j));
        EXPECT_EQ(CountDiscordant(Row(ranks, d, i), Row(ranks, d, j)), expected);
        EXPECT_EQ(pairs.CountDiscordant(words.data() + i * pairs.Width(), words.data() + j * pairs.Width()), expected);
      }
    }
  }
}

/// Worked by hand: the orders 0 1 2 3 and 1 0 3 2 disagree on the pairs (0, 1) and (2, 3).
TEST(Mallows, AWorkedExample) {
  std::vector<std::uint32_t> const a{0, 1, 2, 3};
  std::vector<std::uint32_t> const b{1, 0, 3, 2};
  EXPECT_EQ(CountDiscordant(a, b), 2);
  EXPECT_NEAR(MallowsTable(4, 3.0).At(2), std::exp(-1.0), 1e-14);
}

TEST(Mallows, DisagreementsStayWhenPlayersChangeTheirNames) {
  constexpr std::int32_t kPlayers = 17;
  auto const ranks = RanksOf(Sampled(OrderSampler::kMonteCarlo, kPlayers, 3, 9));
  auto const names = Row(ranks, kPlayers, 2);
  std::vector<std::uint32_t> a(kPlayers);
  std::vector<std::uint32_t> b(kPlayers);
  for (std::int64_t i = 0; i < kPlayers; ++i) {
    a[ToSize(i)] = ranks[names[i]];
    b[ToSize(i)] = ranks[kPlayers + names[i]];
  }
  EXPECT_EQ(CountDiscordant(a, b), CountDiscordant(Row(ranks, kPlayers, 0), Row(ranks, kPlayers, 1)));
}

TEST(Mallows, MeanAndVarianceAreThoseOfAllOrders) {
  for (std::int32_t d = 3; d <= 7; ++d) {
    auto const ranks = RanksOf(AllOrders(d));
    MallowsTable const table(d, 4.0);
    auto const n = static_cast<std::int64_t>(ranks.size()) / d;
    double sum = 0.0;
    double squares = 0.0;
    for (std::int64_t i = 0; i < n; ++i) {
      auto const value = table.At(CountDiscordant(Row(ranks, d, 0), Row(ranks, d, i)));
      sum += value;
      squares += value * value;
    }
    auto const mean = sum / static_cast<double>(n);
    EXPECT_NEAR(MallowsMean(d, 4.0), mean, 1e-12);
    EXPECT_NEAR(MallowsVariance(d, 4.0), squares / static_cast<double>(n) - mean * mean, 1e-12);
  }
  EXPECT_NEAR(MallowsMean(10, 4.0), 0.153035, 5e-7);
  EXPECT_NEAR(MallowsMean(50, 4.0), 0.137937, 5e-7);
  EXPECT_NEAR(MallowsMean(200, 4.0), 0.135949, 5e-7);
  EXPECT_EQ(MallowsMean(9, 0.0), 1.0);
}

/// Returns the rank of a symmetric matrix, by elimination with full pivoting.
std::int64_t RankOf(std::vector<std::vector<double>> matrix) {
  auto const n = matrix.size();
  for (std::size_t rank = 0; rank < n; ++rank) {
    std::size_t row = rank;
    std::size_t column = rank;
    for (auto i = rank; i < n; ++i) {
      for (auto j = rank; j < n; ++j) {
        if (std::abs(matrix[i][j]) > std::abs(matrix[row][column])) std::tie(row, column) = std::make_pair(i, j);
      }
    }
    if (std::abs(matrix[row][column]) < 1e-9) return static_cast<std::int64_t>(rank);
    std::swap(matrix[rank], matrix[row]);
    for (auto& line : matrix) std::swap(line[rank], line[column]);
    for (auto i = rank + 1; i < n; ++i) {
      auto const factor = matrix[i][rank] / matrix[rank][rank];
      for (auto j = rank; j < n; ++j) matrix[i][j] -= factor * matrix[rank][j];
    }
  }
  return static_cast<std::int64_t>(n);
}

/// The Mallows kernel distinguishes all distributions over orders; Kendall's does not (section 2.4).
TEST(Mallows, GramMatricesHaveTheRanksOfTheirKernels) {
  for (std::int32_t const d : {3, 4, 5}) {
    auto const all = AllOrders(d);
    auto const ranks = RanksOf(all);
    MallowsTable const table(d, 4.0);
    auto const n = ToSize(all.n);
    std::vector<std::vector<double>> mallows(n, std::vector<double>(n));
    auto kendall = mallows;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        auto const count =
            CountDiscordant(Row(ranks, d, static_cast<std::int64_t>(i)), Row(ranks, d, static_cast<std::int64_t>(j)));
        mallows[i][j] = table.At(count);
        kendall[i][j] = 1.0 - 4.0 * static_cast<double>(count) / (d * (d - 1));
      }
    }
    EXPECT_EQ(RankOf(mallows), all.n);
    EXPECT_LE(RankOf(kendall), d * (d - 1) / 2);
  }
}

TEST(Discrepancy, OfAllOrdersIsZero) {
  for (auto const kernel : {PermutationKernel::kMallows, PermutationKernel::kKendall, PermutationKernel::kSpearman}) {
    EXPECT_NEAR(Discrepancy({}, AllOrders(5), kernel, 4.0), 0.0, 1e-6);
  }
}

TEST(Discrepancy, OfOneOrderIsByHand) {
  auto const one = Sampled(OrderSampler::kMonteCarlo, 6, 1, 3);
  EXPECT_NEAR(Discrepancy({}, one, PermutationKernel::kMallows, 4.0), std::sqrt(1.0 - MallowsMean(6, 4.0)), 1e-14);
  EXPECT_NEAR(Discrepancy({}, one, PermutationKernel::kKendall, 4.0), 1.0, 1e-14);
  // 1 + 4 + 9 + 16 + 25 + 36 = 91, minus 6 * 49 / 4.
  EXPECT_NEAR(Discrepancy({}, one, PermutationKernel::kSpearman, 4.0), std::sqrt(91.0 - 73.5), 1e-13);
}

TEST(Discrepancy, OfUniformOrdersIsExpectedFromTheirNumber) {
  for (std::int32_t const d : {10, 40}) {
    constexpr int kRepeats = 60;
    constexpr std::int64_t kOrders = 50;
    double sum = 0.0;
    double squares = 0.0;
    for (std::uint64_t seed = 0; seed < kRepeats; ++seed) {
      auto const value = std::pow(
          Discrepancy({}, Sampled(OrderSampler::kMonteCarlo, d, kOrders, seed), PermutationKernel::kMallows, 4.0), 2);
      sum += value;
      squares += value * value;
    }
    auto const mean = sum / kRepeats;
    auto const error = std::sqrt((squares / kRepeats - mean * mean) / kRepeats);
    EXPECT_NEAR(mean, (1.0 - MallowsMean(d, 4.0)) / kOrders, 3.0 * error);
  }
}

TEST(Discrepancy, DoesNotDependOnThreads) {
  auto const orders = Sampled(OrderSampler::kOrthogonal, 20, 70, 4);
  Context eight;
  eight.threads = 8;
  EXPECT_EQ(Discrepancy({}, orders, PermutationKernel::kMallows, 4.0),
            Discrepancy(eight, orders, PermutationKernel::kMallows, 4.0));
}

TEST(Discrepancy, RefusesWhatIsNoOrder) {
  auto orders = Sampled(OrderSampler::kMonteCarlo, 4, 2, 1);
  orders.order[5] = 4;
  auto const of = [&] { Discrepancy({}, orders, PermutationKernel::kMallows, 4.0); };
  ExpectParts(MessageOf(ErrorKind::kParameter, of), {"order 1", "player 4", "0 to 3"});
  orders.order[5] = orders.order[4];
  ExpectParts(MessageOf(ErrorKind::kParameter, of), {"order 1", "twice"});
}

}  // namespace
}  // namespace kauri
