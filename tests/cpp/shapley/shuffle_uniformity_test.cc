/// The statistical tests of Mitchell, Stokes, Frank & Holmes 2022, "Bandwidth-optimal random shuffling for GPUs",
/// section 5, and three tests for what those miss: parity, marginals of positions, pairs of positions. Each test must
/// also reject a faulty shuffle.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "common/shuffle/shuffle.h"
#include "shapley/orders.h"

namespace kauri {
namespace {

using Elements = std::vector<std::int64_t>;
using Shuffler = std::function<Elements(std::int64_t n, std::uint64_t seed)>;

Elements Bijective(std::int64_t n, std::uint64_t seed) { return Shuffle(n, seed).List({}); }

/// Shuffles with the linear congruential bijection of the paper's section 4.1, which is known to fail.
Elements Congruential(std::int64_t n, std::uint64_t seed) {
  return BijectiveShuffle<LinearCongruential>(n, seed).List({});
}

/// Shuffles with the bijection of the in-place algorithm.
Elements BySwaps(std::int64_t n, std::uint64_t seed) { return BijectiveShuffle<SwapOrNot>(n, seed).List({}); }

/// Places elements by their rank, which needs no scan.
Elements ByRanks(std::int64_t n, std::uint64_t seed) {
  Shuffle const shuffle(n, seed);
  Elements ranks;
  for (std::int64_t element = 0; element < n; ++element) ranks.push_back(shuffle.Rank(element));
  return ranks;
}

/// Shuffles with another number of rounds than the library, with its number of bits.
Shuffler OfRounds(int bits, int n_rounds) {
  return [=](std::int64_t n, std::uint64_t seed) { return Shuffle(n, VariablePhilox(bits, seed, n_rounds)).List({}); };
}

/// Shuffles by Fisher & Yates, which is truly uniform.
Elements Uniform(std::int64_t n, std::uint64_t seed) {
  std::vector<std::uint32_t> order(static_cast<std::size_t>(n));
  UniformOrder(MixBits(seed), order);
  return {order.begin(), order.end()};
}

/// Shuffles without the fix of parity: n is a power of two and equals the bijection's domain.
Elements OfFullDomain(std::int64_t n, std::uint64_t seed) {
  int bits = 0;
  while ((std::int64_t{1} << bits) < n) ++bits;
  VariablePhilox const bijection(bits, seed);
  Elements list;
  for (std::int64_t i = 0; i < n; ++i) {
    list.push_back(static_cast<std::int64_t>(bijection.Forward(static_cast<std::uint64_t>(i))));
  }
  return list;
}

/// Returns (chi-square - degrees of freedom) / its standard deviation, for equally likely outcomes.
double ChiSquareDeviation(std::vector<std::int64_t> const& counts, std::int64_t n_draws) {
  auto const expected = static_cast<double>(n_draws) / static_cast<double>(counts.size());
  double chi_square = 0.0;
  for (auto const count : counts) chi_square += std::pow(static_cast<double>(count) - expected, 2) / expected;
  auto const freedom = static_cast<double>(counts.size()) - 1.0;
  return (chi_square - freedom) / std::sqrt(2.0 * freedom);
}

/// Returns the lexicographic rank of a permutation.
std::size_t Rank(Elements const& list) {
  std::size_t rank = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::size_t n_smaller = 0;
    for (auto j = i + 1; j < list.size(); ++j) n_smaller += list[j] < list[i] ? 1U : 0U;
    rank = rank * (list.size() - i) + n_smaller;
  }
  return rank;
}

bool IsOdd(Elements list) {
  bool odd = false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (; list[i] != static_cast<std::int64_t>(i); odd = !odd) {
      std::swap(list[i], list[list[i]]);
    }
  }
  return odd;
}

double OverAllPermutations(Shuffler const& shuffler, std::int64_t n, std::int64_t n_draws) {
  std::size_t n_permutations = 1;
  for (std::int64_t i = 2; i <= n; ++i) n_permutations *= static_cast<std::size_t>(i);
  std::vector<std::int64_t> counts(n_permutations);
  for (std::int64_t draw = 0; draw < n_draws; ++draw) ++counts[Rank(shuffler(n, static_cast<std::uint64_t>(draw)))];
  return ChiSquareDeviation(counts, n_draws);
}

constexpr double kDeviations = 4.0;

TEST(ShuffleUniformity, EveryPermutationIsAsLikely) {
  for (std::int64_t const n : {2, 3, 4, 5, 6}) {
    EXPECT_LT(OverAllPermutations(Bijective, n, 100000), kDeviations) << n;
  }
  for (std::int64_t const n : {2, 3, 5}) EXPECT_LT(OverAllPermutations(BySwaps, n, 50000), kDeviations) << n;
  EXPECT_GT(OverAllPermutations(Congruential, 5, 20000), 100.0);
}

/// Tests ranks: each set of elements with the lowest ranks is equally likely. But of two permutations that differ by
/// one swap, one is more frequent, because the bijection is even. For five elements in a domain of 16, even
/// permutations have a share of (1 - 5 4 / (16 15)) / 2.
TEST(ShuffleUniformity, EverySetOfLowestRanksIsAsLikely) {
  constexpr std::int64_t kDraws = 50000;
  constexpr std::int64_t kElements = 7;
  std::vector<std::int64_t> of_set(1U << kElements);
  double n_even = 0.0;
  for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
    std::size_t set = 0;
    auto const ranks = ByRanks(kElements, draw);
    for (std::size_t element = 0; element < ranks.size(); ++element) set |= (ranks[element] < 3 ? 1U : 0U) << element;
    ++of_set[set];
    n_even += IsOdd(ByRanks(5, draw)) ? 0.0 : 1.0;
  }
  std::vector<std::int64_t> counts;
  for (auto const count : of_set) {
    if (count > 0) counts.push_back(count);
  }
  ASSERT_EQ(counts.size(), 35U);  // binomial(7, 3)
  EXPECT_LT(ChiSquareDeviation(counts, kDraws), kDeviations);
  EXPECT_NEAR(n_even, (1.0 - 20.0 / 240.0) / 2.0 * kDraws, kDeviations * std::sqrt(0.25 * kDraws));
}

/// Tests chi-squares with 119 degrees of freedom by rounds of Philox with four bits. With other keys they were 469,000,
/// 17,000, 2,300, 220, 120 and 115 for 4, 8, 10, 16, 20 and 24 rounds, and for swap-or-not 15,768, 252 and 137 for 4, 8
/// and 12.
TEST(ShuffleUniformity, RoundsThatAreNeeded) {
  auto const chi_square = [](Shuffler const& shuffler) {
    return 119.0 + std::sqrt(2.0 * 119.0) * OverAllPermutations(shuffler, 5, 100000);
  };
  EXPECT_NEAR(chi_square(OfRounds(4, 4)), 469e3, 20e3);
  EXPECT_NEAR(chi_square(OfRounds(4, 8)), 17e3, 3e3);
  EXPECT_NEAR(chi_square(OfRounds(4, 16)), 220.0, 60.0);
  EXPECT_LT(chi_square(OfRounds(4, 20)), 181.0);
  EXPECT_LT(chi_square(OfRounds(4, 24)), 181.0);
  auto const swaps = [](int n_rounds) {
    return [=](std::int64_t n, std::uint64_t seed) {
      return BijectiveShuffle<SwapOrNot>(n, SwapOrNot(n, seed, n_rounds)).List({});
    };
  };
  EXPECT_GT(chi_square(swaps(4)), 5000.0);
  EXPECT_GT(chi_square(swaps(8)), 181.0);
  EXPECT_LT(chi_square(swaps(16)), 181.0);
}

/// Returns the share of all pairs of positions that are in opposite order.
double ShareOfDiscordantPairs(Elements const& a, Elements const& b) {
  std::size_t discordant = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) discordant += (a[i] < a[j]) != (b[i] < b[j]) ? 1U : 0U;
  }
  return static_cast<double>(discordant) / (0.5 * static_cast<double>(a.size() * (a.size() - 1)));
}

/// Returns the mean of the Mallows kernel over uniform permutations of n.
double MeanOfKernel(double lambda, std::int64_t n) {
  auto const step = 2.0 * lambda / static_cast<double>(n * (n - 1));
  double mean = 1.0;
  for (std::int64_t j = 1; j <= n; ++j) {
    mean *= (1.0 - std::exp(-step * static_cast<double>(j))) / (static_cast<double>(j) * (1.0 - std::exp(-step)));
  }
  return mean;
}

/// Returns the maximum mean discrepancy, from the mean Mallows kernel over disjoint pairs, in standard deviations.
double Discrepancy(Shuffler const& shuffler, std::int64_t n, std::int64_t n_pairs) {
  constexpr double kLambda = 5.0;
  double sum = 0.0;
  for (std::int64_t pair = 0; pair < n_pairs; ++pair) {
    auto const seed = 2 * static_cast<std::uint64_t>(pair);
    sum += std::exp(-kLambda * ShareOfDiscordantPairs(shuffler(n, seed), shuffler(n, seed + 1)));
  }
  auto const mean = MeanOfKernel(kLambda, n);
  auto const variance = (MeanOfKernel(2.0 * kLambda, n) - mean * mean) / static_cast<double>(n_pairs);
  return (sum / static_cast<double>(n_pairs) - mean) / std::sqrt(variance);
}

TEST(ShuffleUniformity, MeanDiscrepancyOfTheMallowsKernel) {
  EXPECT_NEAR(MeanOfKernel(5.0, 5), 0.135511, 1e-6);
  EXPECT_NEAR(MeanOfKernel(5.0, 100), 0.083274, 1e-6);
  EXPECT_LT(std::fabs(Discrepancy(Bijective, 5, 20000)), kDeviations);
  EXPECT_LT(std::fabs(Discrepancy(Bijective, 33, 4000)), kDeviations);
  EXPECT_LT(std::fabs(Discrepancy(Bijective, 100, 1000)), kDeviations);
  EXPECT_LT(std::fabs(Discrepancy(BySwaps, 33, 4000)), kDeviations);
  EXPECT_LT(std::fabs(Discrepancy(BySwaps, 100, 1000)), kDeviations);
  EXPECT_GT(std::fabs(Discrepancy(Congruential, 33, 4000)), 8.0);
  EXPECT_GT(std::fabs(Discrepancy(OfRounds(7, 4), 100, 1000)), 8.0);
}

/// Tests 200 sets of truly uniform permutations: 5 in 100 exceed 1.96 standard deviations, give or take 2.
TEST(ShuffleUniformity, FalseAlarms) {
  int n_alarms = 0;
  for (std::uint64_t set = 0; set < 200; ++set) {
    auto const keyed = [=](std::int64_t n, std::uint64_t seed) { return Uniform(n, CombineKeys(set, seed)); };
    n_alarms += std::fabs(Discrepancy(keyed, 5, 1000)) > 1.959964 ? 1 : 0;
  }
  EXPECT_GE(n_alarms, 6);
  EXPECT_LE(n_alarms, 14);
}

/// Tests the positions of elements: [n, n] counts, rows with n - 1 degrees of freedom.
double OverPositions(Shuffler const& shuffler, std::int64_t n, std::int64_t n_draws) {
  std::vector<std::int64_t> counts(n * n);
  for (std::int64_t draw = 0; draw < n_draws; ++draw) {
    auto const list = shuffler(n, static_cast<std::uint64_t>(draw));
    for (std::int64_t i = 0; i < n; ++i) ++counts[i * n + list[i]];
  }
  auto const expected = static_cast<double>(n_draws) / static_cast<double>(n);
  double chi_square = 0.0;
  for (auto const count : counts) chi_square += std::pow(static_cast<double>(count) - expected, 2) / expected;
  // Each draw has one count in every row and column.
  auto const freedom = static_cast<double>((n - 1) * (n - 1));
  return (chi_square * (static_cast<double>(n) - 1.0) / static_cast<double>(n) - freedom) / std::sqrt(2.0 * freedom);
}

TEST(ShuffleUniformity, EveryElementIsAsLikelyAtEveryPosition) {
  for (std::int64_t const n : {8, 16, 17, 64})
    for (auto const& shuffler : {Bijective, BySwaps, ByRanks})
      EXPECT_LT(std::fabs(OverPositions(shuffler, n, 5000)), kDeviations) << n;
}

TEST(ShuffleUniformity, FirstTwoPositionsAreIndependent) {
  constexpr std::int64_t kDraws = 100000;
  for (std::int64_t const n : {9, 16, 32}) {
    std::vector<std::int64_t> counts;
    std::vector<std::int64_t> pairs(n * n);
    for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
      auto const list = Shuffle(n, draw).First({}, 2);
      ++pairs[list[0] * n + list[1]];
    }
    for (std::int64_t i = 0; i < n * n; ++i) {
      if (i / n != i % n) counts.push_back(pairs[i]);
    }
    EXPECT_LT(std::fabs(ChiSquareDeviation(counts, kDraws)), kDeviations) << n;
  }
}

TEST(ShuffleUniformity, HalfOfThePermutationsAreOdd) {
  constexpr int kDraws = 4000;
  for (std::int64_t const n : {4, 15, 16, 17, 64, 128}) {
    double n_odd = 0.0;
    for (std::uint64_t draw = 0; draw < kDraws; ++draw) n_odd += IsOdd(Bijective(n, draw)) ? 1.0 : 0.0;
    EXPECT_NEAR(n_odd, 0.5 * kDraws, kDeviations * std::sqrt(0.25 * kDraws)) << n;
    n_odd = 0.0;
    for (std::uint64_t draw = 0; draw < kDraws; ++draw) n_odd += IsOdd(BySwaps(n, draw)) ? 1.0 : 0.0;
    EXPECT_NEAR(n_odd, 0.5 * kDraws, kDeviations * std::sqrt(0.25 * kDraws)) << n << " by swaps";
  }
  for (std::uint64_t draw = 0; draw < 200; ++draw) EXPECT_FALSE(IsOdd(OfFullDomain(64, draw)));
}

}  // namespace
}  // namespace kauri
