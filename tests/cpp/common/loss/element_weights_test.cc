#include "common/loss/element_weights.h"

#include <gtest/gtest.h>

namespace kauri {
namespace {

MetaInfo TwoTargets(std::vector<float> weights) {
  MetaInfo info;
  info.n_rows = 3;
  info.n_targets = 2;
  info.weights = std::move(weights);
  return info;
}

TEST(ElementWeights, OneWhereNoneAreGiven) {
  ElementBuffer buffer{};
  auto const* weights = ElementWeights(TwoTargets({}), 1, 5, &buffer);
  EXPECT_EQ(std::vector<float>(weights, weights + 4), std::vector<float>(4, 1.0F));
}

TEST(ElementWeights, TargetsShareTheRowsWeight) {
  ElementBuffer buffer{};
  auto const* weights = ElementWeights(TwoTargets({0.5F, 2.0F, 3.0F}), 1, 5, &buffer);
  EXPECT_EQ(std::vector<float>(weights, weights + 4), (std::vector<float>{0.5F, 2.0F, 2.0F, 3.0F}));
}

TEST(ElementWeights, NoCopyWhereRowsAreElements) {
  auto info = TwoTargets({0.5F, 2.0F, 3.0F});
  info.n_targets = 1;
  ElementBuffer buffer{};
  EXPECT_EQ(ElementWeights(info, 1, 3, &buffer), info.weights.data() + 1);
}

}  // namespace
}  // namespace kauri
