#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "common/sums.h"

namespace kauri {
namespace {

std::vector<double> Values(std::int64_t n) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < n; ++i) values.push_back(std::sin(static_cast<double>(i) * 1.7) + 1.0 / 3.0);
  return values;
}

TEST(PrefixSums, OneBlockIsAPlainLoop) {
  for (std::int64_t const n : {std::int64_t{0}, std::int64_t{1}, kRowBlock - 1, kRowBlock}) {
    auto const values = Values(n);
    PrefixSums const sums(Context{}, n, [&](std::int64_t i) { return values[i]; });
    double sum = 0.0;
    for (std::int64_t i = 0; i < n; ++i) EXPECT_EQ(sums.At(i), sum += values[i]) << i;
    EXPECT_EQ(sums.Total(), sum) << n;
  }
}

TEST(PrefixSums, BlocksAreAddedInOrderWhateverTheThreads) {
  for (std::int64_t const n : {kRowBlock + 1, 2 * kRowBlock, 5 * kRowBlock + 17}) {
    auto const values = Values(n);
    std::vector<double> before{0.0};
    std::vector<double> within;
    for (std::int64_t i = 0; i < n; ++i) {
      if (i % kRowBlock == 0 && i > 0) before.push_back(before.back() + within.back());
      within.push_back(i % kRowBlock == 0 ? values[i] : within.back() + values[i]);
    }
    for (int const threads : {1, 8}) {
      Context ctx;
      ctx.threads = threads;
      PrefixSums const sums(ctx, n, [&](std::int64_t i) { return values[i]; });
      for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(sums.At(i), before[i / kRowBlock] + within[i]) << i;
      EXPECT_EQ(sums.Total(), before.back() + within.back());
    }
  }
}

}  // namespace
}  // namespace kauri
