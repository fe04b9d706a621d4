#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "common/math.h"

namespace kauri {
namespace {

TEST(DescendingKey, GrowsAsValuesFall) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kTiny = std::numeric_limits<float>::denorm_min();
  std::vector<float> const falling{kInf, 3e38F, 1.5F, 1.0F, kTiny, 0.0F, -kTiny, -1.0F, -1.5F, -3e38F, -kInf};
  for (std::size_t i = 1; i < falling.size(); ++i) {
    EXPECT_LT(DescendingFloatKey(falling[i - 1]), DescendingFloatKey(falling[i])) << falling[i];
  }
}

TEST(DescendingKey, BothZerosHaveOne) { EXPECT_EQ(DescendingFloatKey(0.0F), DescendingFloatKey(-0.0F)); }

TEST(DescendingKey, NansStandOutsideOfTheNumbers) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_LT(DescendingFloatKey(kNan), DescendingFloatKey(std::numeric_limits<float>::infinity()));
}

}  // namespace
}  // namespace kauri
