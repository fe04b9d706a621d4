#include "shapley/orders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "shapley/order_sets.h"
#include "support/error.h"

namespace kauri {
namespace {

double MeanDiscrepancy(OrderSampler sampler, std::int32_t d, std::int64_t n) {
  constexpr std::uint64_t kRepeats = 25;
  double sum = 0.0;
  for (std::uint64_t seed = 1; seed <= kRepeats; ++seed) {
    sum += Discrepancy({}, Sampled(sampler, d, n, seed), PermutationKernel::kMallows, 4.0);
  }
  return sum / static_cast<double>(kRepeats);
}

/// Tests the fast cells of the paper's table 4; tests/benchmark/permutation_tables.py has all of them.
TEST(Orders, DiscrepanciesAreThoseOfTheTable) {
  struct Cell {
    OrderSampler sampler;
    std::int32_t d;
    std::int64_t n;
    double printed;
  };
  std::vector<Cell> const cells{
      {OrderSampler::kHerding, 10, 10, 0.2411},     {OrderSampler::kHerding, 10, 100, 0.0590},
      {OrderSampler::kAntithetic, 10, 10, 0.2636},  {OrderSampler::kAntithetic, 10, 100, 0.0838},
      {OrderSampler::kOrthogonal, 10, 10, 0.2442},  {OrderSampler::kOrthogonal, 10, 100, 0.0700},
      {OrderSampler::kBayesian, 10, 10, 0.2403},    {OrderSampler::kBayesian, 10, 100, 0.0558},
      {OrderSampler::kSobol, 10, 10, 0.2584},       {OrderSampler::kSobol, 10, 100, 0.0689},
      {OrderSampler::kHerding, 50, 100, 0.0797},    {OrderSampler::kAntithetic, 50, 100, 0.0861},
      {OrderSampler::kOrthogonal, 50, 100, 0.0725}, {OrderSampler::kBayesian, 50, 100, 0.0792},
      {OrderSampler::kSobol, 50, 100, 0.0786}};
  for (auto const& cell : cells) {
    auto const gate = cell.sampler == OrderSampler::kSobol ? 0.03 : 0.02;
    EXPECT_NEAR(MeanDiscrepancy(cell.sampler, cell.d, cell.n) / cell.printed, 1.0, gate)
        << static_cast<int>(cell.sampler) << " d=" << cell.d << " n=" << cell.n;
  }
}

TEST(Orders, EveryRowIsAnOrder) {
  for (auto const sampler : kSamplers) {
    for (std::int32_t const d : {2, 3, 4, 5, 33}) {
      for (std::int64_t const n : {1, 2, 7, 70}) {
        auto const orders = Sampled(sampler, d, n, 6);
        ASSERT_EQ(orders.order.size(), ToSize(n * d));
        for (std::int64_t i = 0; i < n; ++i) {
          std::vector<std::uint32_t> sorted(orders.Of(i).begin(), orders.Of(i).end());
          std::sort(sorted.begin(), sorted.end());
          for (std::uint32_t k = 0; k < static_cast<std::uint32_t>(d); ++k) ASSERT_EQ(sorted[k], k);
        }
        EXPECT_NEAR(std::accumulate(orders.weight.begin(), orders.weight.end(), 0.0), 1.0, 1e-12);
      }
    }
  }
}

TEST(Orders, DependOnTheSeedAndNotOnThreads) {
  for (auto const sampler : kSamplers) {
    auto const orders = Sampled(sampler, 12, 60, 3);
    auto const again = Sampled(sampler, 12, 60, 3, 8);
    EXPECT_EQ(orders.order, again.order) << static_cast<int>(sampler);
    EXPECT_EQ(orders.weight, again.weight) << static_cast<int>(sampler);
    EXPECT_NE(orders.order, Sampled(sampler, 12, 60, 4).order) << static_cast<int>(sampler);
  }
}

TEST(Orders, AntitheticAndOrthogonalHaveReverses) {
  for (auto const sampler : {OrderSampler::kAntithetic, OrderSampler::kOrthogonal}) {
    auto const orders = Sampled(sampler, 6, 25, 2);  // odd: the last order has no partner
    for (std::int64_t i = 0; i + 1 < 25; i += 2) {
      for (std::int64_t k = 0; k < 6; ++k) EXPECT_EQ(orders.Of(i)[k], orders.Of(i + 1)[5 - k]);
    }
  }
}

/// A unit depends only on its number, not on the other units of the call.
TEST(Orders, GoOnWhereAnotherCallHasEnded) {
  for (auto const sampler : {OrderSampler::kMonteCarlo, OrderSampler::kAntithetic, OrderSampler::kOrthogonal}) {
    auto const whole = Sampled(sampler, 7, 48, 11);
    OrderOptions options;
    options.sampler = sampler;
    options.seed = 11;
    options.first_unit = 12 / whole.unit;
    auto const rest = SampleOrders({}, 7, 36, options);
    EXPECT_TRUE(std::equal(rest.order.begin(), rest.order.end(), whole.order.begin() + 12 * 7));
  }
}

TEST(Orders, HerdingIsAPrefixOfMore) {
  auto const many = Sampled(OrderSampler::kHerding, 9, 40, 5);
  auto const few = Sampled(OrderSampler::kHerding, 9, 15, 5);
  EXPECT_TRUE(std::equal(few.order.begin(), few.order.end(), many.order.begin()));
}

/// Compares with equation 6 from its definition, candidate by candidate.
TEST(Orders, HerdingTakesTheLeastAlike) {
  constexpr std::int32_t kPlayers = 8;
  auto const orders = Sampled(OrderSampler::kHerding, kPlayers, 30, 5);
  auto const ranks = RanksOf(orders);
  for (std::int64_t i = 0; i < 30; ++i) {
    Orders candidates;
    candidates.n = 25;
    candidates.d = kPlayers;
    candidates.order.resize(25 * kPlayers);
    for (std::int64_t c = 0; c < 25; ++c) {
      auto const key = OrderKey(5, OrderStream::kCandidates, static_cast<std::uint64_t>(i * 25 + c));
      UniformOrder(key, {candidates.order.data() + c * kPlayers, kPlayers});
    }
    auto const of_candidate = RanksOf(candidates);
    std::vector<double> alike(25, 0.0);
    for (std::int64_t c = 0; c < 25; ++c) {
      for (std::int64_t j = 0; j < i; ++j) {
        auto const count =
            NaiveDiscordant({of_candidate.data() + c * kPlayers, kPlayers}, {ranks.data() + j * kPlayers, kPlayers});
        alike[ToSize(c)] += std::exp(-4.0 * static_cast<double>(count) / 28.0);
      }
    }
    auto const best = std::min_element(alike.begin(), alike.end()) - alike.begin();
    auto const chosen = orders.Of(i);
    EXPECT_TRUE(std::equal(chosen.begin(), chosen.end(), candidates.Of(best).begin())) << i;
  }
}

/// With all orders of three players, the best weights are equal, and additional orders have weight 0.
TEST(Orders, BayesianWeightsEndWhereOrdersDo) {
  auto const orders = Sampled(OrderSampler::kBayesian, 3, 20, 1);
  std::vector<double> positive;
  for (auto const weight : orders.weight) {
    if (weight != 0.0) positive.push_back(weight);
  }
  ASSERT_EQ(positive.size(), 6U);
  for (auto const weight : positive) EXPECT_NEAR(weight, 1.0 / 6.0, 1e-12);
  EXPECT_NEAR(Discrepancy({}, orders, PermutationKernel::kMallows, 4.0), 0.0, 1e-7);
}

/// The weights are optimal for their orders among weights that sum to 1, in proportion to the solution: K w = z,
/// divided by its sum.
TEST(Orders, BayesianWeightsSolveTheirSystem) {
  auto const orders = Sampled(OrderSampler::kBayesian, 7, 25, 4);
  auto const ranks = RanksOf(orders);
  MallowsTable const table(7, 4.0);
  std::vector<double> left(25, 0.0);
  for (std::int64_t i = 0; i < 25; ++i) {
    for (std::int64_t j = 0; j < 25; ++j) {
      left[ToSize(i)] +=
          table.At(CountDiscordant({ranks.data() + i * 7, 7}, {ranks.data() + j * 7, 7})) * orders.weight[ToSize(j)];
    }
  }
  for (auto const value : left) EXPECT_NEAR(value, left[0], 1e-12);
}

TEST(Orders, KeepWhatTheyAre) {  // users may have stored a seed
  EXPECT_EQ(Sampled(OrderSampler::kMonteCarlo, 6, 1, 0).order, (std::vector<std::uint32_t>{4, 3, 2, 1, 0, 5}));
  EXPECT_EQ(Sampled(OrderSampler::kOrthogonal, 6, 1, 0).order, (std::vector<std::uint32_t>{1, 2, 4, 5, 0, 3}));
  EXPECT_EQ(Sampled(OrderSampler::kSobol, 6, 1, 0).order, (std::vector<std::uint32_t>{0, 2, 1, 4, 3, 5}));
}

TEST(Orders, Refusals) {
  auto const refusal = [](std::int32_t d, std::int64_t n, OrderOptions const& options) {
    return MessageOf(ErrorKind::kParameter, [&] { SampleOrders({}, d, n, options); });
  };
  OrderOptions options;
  ExpectParts(refusal(1, 5, options), {"d is 1", "2 to"});
  ExpectParts(refusal(5, 0, options), {"n is 0", "expected 1"});
  ExpectParts(refusal((1 << 20) + 1, 5, options), {"1048577", "1048576"});
  ExpectParts(refusal(5, std::int64_t{1} << 62, options), {"n is 4611686018427387904"});
  options.lambda = std::nan("");
  ExpectParts(refusal(5, 5, options), {"lambda is nan"});
  options.lambda = -1.0;
  ExpectParts(refusal(5, 5, options), {"lambda is -1"});
  options = {};
  options.candidates = 0;
  ExpectParts(refusal(5, 5, options), {"candidates is 0"});
  options = {};
  options.sampler = OrderSampler::kSobol;
  ExpectParts(refusal(1114, 5, options), {"1113 players", "1114", "orthogonal"});
  options.n_scrambles = 6;
  ExpectParts(refusal(5, 5, options), {"n_scrambles is 6", "n=5"});
  options = {};
  options.sampler = OrderSampler::kHerding;
  ExpectParts(refusal(5, 5001, options), {"herding", "5000", "5001", "orthogonal"});
  options.sampler = OrderSampler::kBayesian;
  ExpectParts(refusal(5, 5001, options), {"sbq", "5000", "5001"});
  for (auto const sampler : kSamplers) EXPECT_EQ(SamplerNamed(NameOf(sampler), "method"), sampler);
  ExpectParts(MessageOf(ErrorKind::kParameter, [] { SamplerNamed("best", "method"); }), {"method", "'best'", "sbq"});
}

}  // namespace
}  // namespace kauri
