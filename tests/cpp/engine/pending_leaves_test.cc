#include <gtest/gtest.h>

#include <algorithm>

#include "engine/margin_cache.h"

namespace kauri {
namespace {

/// Pending leaves are added to the margins of their outputs in the order of the trees.
TEST(PendingLeaves, AreAddedTogether) {
  constexpr std::int64_t kRows = 700;  // more than a tile
  constexpr std::int64_t kOutputs = 3;
  Tree tree;
  tree.ExpandNode(0, {0, 0.5F, false, 1.0F});
  std::vector<float> margins(kRows * kOutputs, 1.0F);
  auto expected = margins;
  PendingLeaves waiting;
  EXPECT_TRUE(waiting.IsEmpty());
  for (std::int64_t output = 0; output < kOutputs; ++output) {
    tree.SetLeafValue(1, 0.1F * static_cast<float>(output + 1));
    tree.SetLeafValue(2, -3.0F);
    auto const leaves = waiting.NextLeaves(kRows);
    for (std::int64_t row = 0; row < kRows; ++row) {
      leaves[row] = static_cast<std::int32_t>(1 + (row + output) % 2);
      expected[row * kOutputs + output] += tree.split_value[leaves[row]];
    }
    waiting.Add(tree, output);
  }
  EXPECT_FALSE(waiting.IsEmpty());
  waiting.AddTo(Context(), kOutputs, margins);
  EXPECT_EQ(margins, expected);
  EXPECT_TRUE(waiting.IsEmpty());
}

}  // namespace
}  // namespace kauri
