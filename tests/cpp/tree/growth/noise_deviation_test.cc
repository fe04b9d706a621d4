#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "common/random/random.h"
#include "support/built_tree.h"
#include "tree/growth/tree_common.h"

namespace kauri {
namespace {

constexpr std::int32_t kLargest = (1 << 30) - 1;  // largest fixed-point gradient

std::vector<FixedPair> RandomPairs(std::int64_t n_rows, std::int32_t largest) {
  std::vector<FixedPair> pairs;
  for (std::int64_t row = 0; row < n_rows; ++row) {
    auto const place = static_cast<std::uint64_t>(row);
    auto const size = static_cast<std::int32_t>(RandomBelow(3, place, static_cast<std::uint32_t>(largest) + 1));
    pairs.push_back({row % 2 == 0 ? size : -size, 1});
  }
  return pairs;
}

Context With(int threads) {
  Context ctx;
  ctx.threads = threads;
  return ctx;
}

/// Includes sums beyond 2^63, which are exact in parts.
TEST(NoiseDeviation, SquaresOfEveryRow) {
  for (std::int64_t const n_rows : {0, 1, 33, 16384, 16385, 100000}) {
    for (std::int32_t const largest : {5, kLargest}) {
      auto const pairs = RandomPairs(n_rows, largest);
      TreeTask task;
      task.gradients.pairs = pairs;
      long double expected = 0.0L;
      for (auto const& pair : pairs) {
        expected += static_cast<long double>(pair.gradient) * static_cast<long double>(pair.gradient);
      }
      auto const sums = SumSquares(With(1), task);
      ASSERT_EQ(sums.size(), 1U);
      EXPECT_NEAR(sums[0], static_cast<double>(expected), 1e-15 * static_cast<double>(expected)) << n_rows;
      for (int const threads : {2, 5}) EXPECT_EQ(SumSquares(With(threads), task), sums);
    }
  }
}

TEST(NoiseDeviation, SquaresOfSampledRows) {
  std::vector<FixedPair> const pairs{{3, 1}, {-5, 1}, {7, 1}};
  std::vector<std::uint8_t> const sampled{1, 0, 1};
  TreeTask task;
  task.gradients.pairs = pairs;
  task.sampled_rows = sampled;
  EXPECT_EQ(SumSquares(With(2), task), std::vector<double>{58.0});
}

TEST(NoiseDeviation, SquaresOfEachOutput) {
  std::vector<std::int32_t> const values{3, -1, 9, 0, -4, kLargest, 9, 0};
  std::vector<GradientUnit> const units(2);
  TreeTask task;
  task.table = {values, units, 1, 4};
  auto const largest = static_cast<double>(kLargest);
  EXPECT_EQ(SumSquares(With(1), task), (std::vector<double>{25.0, 1.0 + largest * largest}));
}

/// The deviation is strength times the expected gain of noise in the first round, up to one part in n, and half of it
/// after ln(n) / eta rounds.
TEST(NoiseDeviation, FadesWithTheRounds) {
  auto param = DefaultParam();
  param.eta = 0.1F;
  param.random_strength = 2.0F;
  TreePlace place;
  place.n_rows = 22026;  // ln(n) is 10
  EXPECT_NEAR(NoiseDeviation(param, place, 3.0), 6.0, 6.0 / 22026.0);
  place.iteration = 100;
  EXPECT_NEAR(NoiseDeviation(param, place, 3.0), 3.0, 1e-4);
  place.iteration = 200;
  EXPECT_NEAR(NoiseDeviation(param, place, 3.0), 6.0 / (1.0 + std::exp(10.0)), 1e-7);
  place.iteration = 1 << 30;
  EXPECT_EQ(NoiseDeviation(param, place, 3.0), 0.0);
}

}  // namespace
}  // namespace kauri
