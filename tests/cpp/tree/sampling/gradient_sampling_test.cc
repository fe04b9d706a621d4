#include "tree/sampling/gradient_sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "common/random/random.h"
#include "kauri/error.h"

namespace kauri {
namespace {

using Magnitudes = std::vector<std::uint32_t>;
using Pairs = std::vector<GradientPair>;

/// Returns the expected number of rows: 1 for each above the threshold, and in proportion below it.
double Expected(Magnitudes const& magnitudes, double threshold) {
  double sum = 0.0;
  for (auto const magnitude : magnitudes) sum += std::min(1.0, static_cast<double>(magnitude) / threshold);
  return sum;
}

/// Finds the threshold by bisection.
double NaiveThreshold(Magnitudes const& magnitudes, double n_wanted) {
  double low = 1e-9;
  double high = 1e18;
  for (int step = 0; step < 200; ++step) {
    auto const middle = std::sqrt(low * high);
    (Expected(magnitudes, middle) > n_wanted ? low : high) = middle;
  }
  return low;
}

Magnitudes RandomMagnitudes(std::int64_t n, double spread, std::uint64_t seed) {
  Magnitudes magnitudes;
  for (std::int64_t i = 0; i < n; ++i) {
    auto const power = 30.0 - spread * RandomUniform(seed, static_cast<std::uint64_t>(i));
    magnitudes.push_back(static_cast<std::uint32_t>(std::exp2(power)) - 1);
  }
  return magnitudes;
}

Pairs RandomPairs(std::int64_t n, std::uint64_t seed) {
  Pairs pairs;
  for (std::int64_t i = 0; i < n; ++i) {
    auto const p = RandomUniform(seed, static_cast<std::uint64_t>(i));
    pairs.push_back({static_cast<float>(i % 7 == 0 ? p - 1.0 : p * p * p), static_cast<float>(p * (1.0 - p))});
  }
  return pairs;
}

TEST(SamplingThreshold, ByHand) {
  // With 1, 2, 3, 10 and three rows wanted, 10 is certain, and the threshold 6 / (3 - 1) = 3 gives 1/3 + 2/3 + 1.
  EXPECT_DOUBLE_EQ(SamplingThreshold({}, Magnitudes{10, 1, 3, 2}, 3.0), 3.0);
  EXPECT_DOUBLE_EQ(SamplingThreshold({}, Magnitudes{10, 1, 3, 2}, 1.0), 16.0);
  EXPECT_DOUBLE_EQ(SamplingThreshold({}, Magnitudes{10, 1, 3, 2}, 4.0), 1.0);
  EXPECT_DOUBLE_EQ(SamplingThreshold({}, Magnitudes{10, 0, 0, 2}, 3.0), 0.0);
  EXPECT_DOUBLE_EQ(SamplingThreshold({}, Magnitudes{0, 0}, 1.0), 0.0);
  EXPECT_DOUBLE_EQ(SamplingThreshold({}, Magnitudes(100, (1U << 30U) - 1), 25.0), 4.0 * ((1U << 30U) - 1));
}

TEST(SamplingThreshold, MeetsTheWantedNumber) {
  for (double const spread : {0.0, 0.05, 1.0, 5.0, 30.0}) {
    for (std::int64_t const n : {1, 31, 257, 70000}) {
      auto const magnitudes = RandomMagnitudes(n, spread, 3);
      for (double const rate : {0.01, 0.1, 0.5, 0.9}) {
        auto const n_wanted = rate * static_cast<double>(n);
        auto const threshold = SamplingThreshold({}, magnitudes, n_wanted);
        if (threshold == 0.0) continue;  // too many zeros
        ASSERT_NEAR(Expected(magnitudes, threshold), n_wanted, 1e-9 * n_wanted) << spread << " " << n << " " << rate;
        ASSERT_NEAR(threshold, NaiveThreshold(magnitudes, n_wanted), 1e-6 * threshold);
      }
    }
  }
}

TEST(SampleByGradient, KeepsTheSumsInExpectation) {
  constexpr std::int64_t kRows = 3000;
  constexpr int kDraws = 400;
  auto const pairs = RandomPairs(kRows, 5);
  double gradient = 0.0;
  double hessian = 0.0;
  for (auto const pair : pairs) {
    gradient += static_cast<double>(pair.gradient);
    hessian += static_cast<double>(pair.hessian);
  }
  std::vector<double> gradients;
  std::vector<double> hessians;
  double n_used = 0.0;
  for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
    auto const sample = SampleByGradient({}, pairs, 1, 0, {0.1F, CombineKeys(1, draw)});
    gradients.push_back(0.0);
    hessians.push_back(0.0);
    for (auto const pair : sample.pairs) {
      gradients.back() += static_cast<double>(pair.gradient);
      hessians.back() += static_cast<double>(pair.hessian);
    }
    n_used += static_cast<double>(std::count(sample.used.begin(), sample.used.end(), 1));
  }
  auto const check = [](std::vector<double> const& sums, double expected) {
    auto const mean = std::accumulate(sums.begin(), sums.end(), 0.0) / kDraws;
    double variance = 0.0;
    for (auto const sum : sums) variance += (sum - mean) * (sum - mean) / kDraws;
    EXPECT_NEAR(mean, expected, 4.0 * std::sqrt(variance / kDraws));
    EXPECT_LT(std::sqrt(variance), 0.2 * std::fabs(expected));
  };
  check(gradients, gradient);
  check(hessians, hessian);
  EXPECT_NEAR(n_used / kDraws, 0.1 * kRows, 4.0 * std::sqrt(0.1 * kRows / kDraws));
}

TEST(SampleByGradient, LargeGradientsAreCertainAndUnscaled) {
  Pairs pairs(1000, {0.001F, 0.0F});
  for (std::size_t row = 0; row < 50; ++row) pairs[row * 20] = {row % 2 == 0 ? 5.0F : -5.0F, 1.0F};
  auto const sample = SampleByGradient({}, pairs, 1, 0, {0.1F, 9});
  for (std::size_t row = 0; row < 1000; ++row) {
    if (row % 20 == 0) {
      EXPECT_EQ(sample.used[row], 1);
      EXPECT_EQ(sample.pairs[row].gradient, pairs[row].gradient);
      EXPECT_EQ(sample.pairs[row].hessian, 1.0F);
    } else if (sample.used[row] == 1) {
      EXPECT_NEAR(sample.pairs[row].gradient, 0.001F * 950.0F / 50.0F, 1e-6F);
    } else {
      EXPECT_EQ(sample.pairs[row].gradient, 0.0F);
    }
  }
}

TEST(SampleByGradient, RowsWithoutGradientAreNotUsed) {
  Pairs pairs(100, {0.0F, 0.0F});
  auto const count = [&] {
    auto const used = SampleByGradient({}, pairs, 1, 0, {0.5F, 2}).used;
    return std::count(used.begin(), used.end(), 1);
  };
  EXPECT_EQ(count(), 0);
  pairs[7] = {-2.0F, 1.0F};
  EXPECT_EQ(count(), 1);
}

TEST(SampleByGradient, TakesTheAskedOutput) {
  auto const pairs = RandomPairs(1000, 6);
  Pairs both;
  for (auto const pair : pairs) {
    both.push_back({1.0F, 1.0F});
    both.push_back(pair);
  }
  auto const alone = SampleByGradient({}, pairs, 1, 0, {0.3F, 4});
  auto const second = SampleByGradient({}, both, 2, 1, {0.3F, 4});
  EXPECT_EQ(alone.used, second.used);
  for (std::size_t row = 0; row < pairs.size(); ++row) {
    ASSERT_EQ(alone.pairs[row].gradient, second.pairs[row].gradient);
  }
}

TEST(SampleByGradient, SameBitsForAnyThreads) {
  auto const pairs = RandomPairs(300001, 7);
  Context eight;
  eight.threads = 8;
  auto const one = SampleByGradient({}, pairs, 1, 0, {0.2F, 4});
  auto const other = SampleByGradient(eight, pairs, 1, 0, {0.2F, 4});
  EXPECT_EQ(one.used, other.used);
  for (std::size_t row = 0; row < pairs.size(); ++row) {
    ASSERT_EQ(one.pairs[row].gradient, other.pairs[row].gradient);
    ASSERT_EQ(one.pairs[row].hessian, other.pairs[row].hessian);
  }
  EXPECT_NE(one.used, SampleByGradient({}, pairs, 1, 0, {0.2F, 5}).used);
}

TEST(SampleByGradient, NamesTheRowThatIsNotFinite) {
  auto pairs = RandomPairs(100, 8);
  pairs[42].gradient = std::numeric_limits<float>::quiet_NaN();
  try {
    SampleByGradient({}, pairs, 1, 0, {0.5F, 1});
    FAIL() << "NaN went unnoticed";
  } catch (Error const& error) {
    EXPECT_EQ(error.Kind(), ErrorKind::kData);
    EXPECT_NE(std::string(error.what()).find("row 42"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace kauri
