#include <gtest/gtest.h>

#include <vector>

#include "common/loss/label_elements.h"

namespace kauri {
namespace {

std::vector<float> WeightsOf(MetaInfo const& info, std::int64_t begin, std::int64_t end) {
  ElementBuffer buffer;
  auto const* const weights = ElementWeights(info, begin, end, &buffer);
  return {weights, weights + (end - begin)};
}

TEST(ElementWeights, AreOneWhereNoneAreGiven) {
  MetaInfo info;
  info.n_rows = 3;
  EXPECT_EQ(WeightsOf(info, 1, 3), (std::vector<float>{1.0F, 1.0F}));
}

TEST(ElementWeights, OfRowsAreNotCopied) {
  MetaInfo info;
  info.n_rows = 3;
  info.weights = {2.0F, 3.0F, 5.0F};
  ElementBuffer buffer;
  EXPECT_EQ(ElementWeights(info, 1, 3, &buffer), info.weights.data() + 1);
}

TEST(ElementWeights, AllTargetsOfARowHaveItsWeight) {
  MetaInfo info;
  info.n_rows = 2;
  info.n_targets = 2;
  info.weights = {2.0F, 3.0F};
  EXPECT_EQ(WeightsOf(info, 1, 4), (std::vector<float>{2.0F, 3.0F, 3.0F}));
}

}  // namespace
}  // namespace kauri
