#include "common/loss/rank_discount.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kauri {
namespace {

TEST(RankDiscount, IsOneOverLog2) {
  EXPECT_DOUBLE_EQ(RankDiscount(0), 1.0);
  EXPECT_DOUBLE_EQ(RankDiscount(2), 0.5);
  for (std::int64_t const place : {1, 5, 31, 1000000}) {
    EXPECT_NEAR(RankDiscount(place), 1.0 / std::log2(static_cast<double>(place) + 2.0), 1e-15) << place;
  }
}

TEST(RankDiscount, ManyAreEachOne) {
  Context ctx;
  ctx.threads = 3;
  auto const discounts = RankDiscounts(ctx, 5000);
  ASSERT_EQ(discounts.size(), 5000U);
  for (std::int64_t place = 0; place < 5000; ++place) ASSERT_EQ(discounts[place], RankDiscount(place)) << place;
  EXPECT_TRUE(RankDiscounts(ctx, 0).empty());
}

}  // namespace
}  // namespace kauri
