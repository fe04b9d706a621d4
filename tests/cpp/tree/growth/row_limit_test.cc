#include <gtest/gtest.h>

#include <vector>

#include "support/random_matrix.h"
#include "tree/split_rules.h"

namespace kauri {
namespace {

TEST(RowLimit, BoundariesAreThoseThatItAllows) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    testing::Random random(seed);
    std::vector<std::int64_t> n_left(random.Below(12));
    std::int64_t n_rows = 0;
    for (auto& n : n_left) n = n_rows += random.Below(4);
    RowLimit const limit{2 + random.Below(6), n_rows + random.Below(5)};
    auto const range = AllowedBoundaries(limit, static_cast<std::int64_t>(n_left.size()),
                                         [&](std::int64_t boundary) { return n_left[boundary]; });
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(n_left.size()); ++i) {
      EXPECT_EQ(i >= range.first && i < range.end, limit.Allows(n_left[i])) << seed;
    }
  }
}

}  // namespace
}  // namespace kauri
