#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "support/random_matrix.h"
#include "tree/absolute_error/label_binner.h"

namespace kauri {
namespace {

TEST(SortFloats, IsWhatComparisonsGive) {
  testing::Random random(1);
  for (std::size_t const n : {0, 1, 2, 31, 255, 256, 257, 5000}) {
    std::vector<float> values;
    for (std::size_t i = 0; i < n; ++i) {
      auto const value = random.Normal();
      values.push_back(random.Below(4) == 0 ? static_cast<float>(random.Below(5)) : value * value * value);
    }
    if (n > 30) {
      values[7] = std::numeric_limits<float>::max();
      values[8] = -std::numeric_limits<float>::infinity();
      values[9] = -std::numeric_limits<float>::denorm_min();
      values[10] = std::numeric_limits<float>::infinity();
    }
    auto expected = values;
    std::sort(expected.begin(), expected.end());
    SortFloats(&values);
    EXPECT_EQ(values, expected) << n;
  }
}

}  // namespace
}  // namespace kauri
