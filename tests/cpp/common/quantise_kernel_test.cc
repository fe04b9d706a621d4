#include "common/quantise_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kauri/error.h"
#include "support/random_matrix.h"

namespace kauri {
namespace {

std::vector<GradientPair> RandomPairs(std::int64_t n, std::uint64_t seed) {
  testing::Random random(seed);
  std::vector<GradientPair> pairs(n);
  for (auto& pair : pairs) {
    auto const scale = std::ldexp(1.0F, static_cast<int>(random.Below(60)) - 45);
    pair = {random.Normal() * scale, random.Below(3) == 0 ? 0.0F : static_cast<float>(random.Uniform()) * scale};
  }
  return pairs;
}

TEST(QuantiseKernel, EqualsTheSharedFormula) {
  for (std::int64_t const n : {0, 1, 3, 4, 7, 8, 9, 33, 1000}) {
    auto const pairs = RandomPairs(n, static_cast<std::uint64_t>(n));
    GradientUnit const steps{std::ldexp(1.0, 15), std::ldexp(1.0, 13)};
    std::vector<FixedPair> fixed(pairs.size());
    QuantisePairs(pairs.data(), n, steps, fixed.data());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      auto const expected = QuantisePair(pairs[i], steps);
      ASSERT_EQ(fixed[i].gradient, expected.gradient) << i;
      ASSERT_EQ(fixed[i].hessian, expected.hessian) << i;
    }
  }
}

TEST(QuantiseKernel, HalvesGoToEven) {
  std::vector<GradientPair> const pairs{{0.5F, 1.5F}, {-0.5F, 2.5F}, {-1.5F, 0.25F}, {-2.5F, 3.5F}, {1e-30F, 1e-30F}};
  std::vector<FixedPair> fixed(pairs.size());
  QuantisePairs(pairs.data(), 5, {1.0, 1.0}, fixed.data());
  std::vector<std::int32_t> const gradients{0, 0, -2, -2, 0};
  std::vector<std::int32_t> const hessians{2, 2, 1, 4, 1};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    EXPECT_EQ(fixed[i].gradient, gradients[i]) << i;
    EXPECT_EQ(fixed[i].hessian, hessians[i]) << i;
  }
}

TEST(QuantiseGradients, TakesOneOutputForAnyNumberOfThreads) {
  auto const pairs = RandomPairs(3 * 20000, 5);
  for (std::int64_t output = 0; output < 3; ++output) {
    float largest = 0.0F;
    for (std::size_t row = 0; row < 20000; ++row) {
      largest = std::max(largest, std::fabs(pairs[row * 3 + static_cast<std::size_t>(output)].gradient));
    }
    for (int const threads : {1, 3}) {
      Context ctx;
      ctx.threads = threads;
      FixedGradients fixed;
      QuantiseGradients(ctx, pairs, 3, output, {}, &fixed);
      ASSERT_EQ(fixed.unit.gradient, FixedPointUnit(largest));
      for (std::size_t row = 0; row < 20000; ++row) {
        auto const pair = pairs[row * 3 + static_cast<std::size_t>(output)];
        auto const expected = QuantisePair(pair, {1.0 / fixed.unit.gradient, 1.0 / fixed.unit.hessian});
        ASSERT_EQ(fixed.pairs[row].gradient, expected.gradient);
        ASSERT_EQ(fixed.pairs[row].hessian, expected.hessian);
      }
    }
  }
}

TEST(QuantiseGradients, NamesTheFirstRowThatIsNotFinite) {
  for (auto const bad : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    for (std::int64_t const n_outputs : {1, 2}) {
      auto pairs = RandomPairs(40000 * n_outputs, 6);
      pairs[30001 * n_outputs].hessian = bad;
      pairs[35001 * n_outputs].gradient = bad;
      FixedGradients fixed;
      try {
        QuantiseGradients({}, pairs, n_outputs, 0, {}, &fixed);
        FAIL();
      } catch (Error const& error) {
        EXPECT_NE(std::string(error.what()).find("row 30001 has"), std::string::npos) << error.what();
      }
    }
  }
}

TEST(QuantiseGradients, RowsThatAreNotSampledAreNothing) {
  auto const pairs = RandomPairs(100, 8);
  std::vector<std::uint8_t> sampled(100, 1);
  sampled[7] = sampled[99] = 0;
  FixedGradients fixed;
  QuantiseGradients({}, pairs, 1, 0, sampled, &fixed);
  EXPECT_EQ(fixed.pairs[7].gradient, 0);
  EXPECT_EQ(fixed.pairs[99].hessian, 0);
  EXPECT_NE(fixed.pairs[8].gradient, 0);
}

}  // namespace
}  // namespace kauri
