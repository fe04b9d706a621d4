#include "common/loss/rank_discount.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kauri {
namespace {

TEST(RankDiscount, IsOneOverTheLogarithm) {
  EXPECT_DOUBLE_EQ(RankDiscount(0), 1.0);
  EXPECT_DOUBLE_EQ(RankDiscount(2), 0.5);
  EXPECT_DOUBLE_EQ(RankDiscount(6), 1.0 / 3.0);
}

TEST(RankDiscount, TablesHaveTheBitsOfTheFunction) {
  for (int const threads : {1, 8}) {
    Context ctx;
    ctx.threads = threads;
    auto const discounts = RankDiscounts(ctx, 2049);
    ASSERT_EQ(discounts.size(), 2049U);
    for (std::size_t place = 0; place < discounts.size(); ++place) {
      EXPECT_EQ(discounts[place], RankDiscount(static_cast<std::int64_t>(place))) << place;
    }
  }
  EXPECT_TRUE(RankDiscounts({}, 0).empty());
}

}  // namespace
}  // namespace kauri
