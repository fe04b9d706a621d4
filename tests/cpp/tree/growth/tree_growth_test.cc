/// Services of TreeGrowth for all growers: which nodes may be split, and the effect of a split.
#include "tree/growth/tree_growth.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "common/random/random.h"
#include "support/built_tree.h"

namespace kauri {
namespace {

/// Exposes the protected parts of a growth.
class OpenGrowth : public ScalarGrowth {
 public:
  using ScalarGrowth::MaySplit;
  using ScalarGrowth::ScalarGrowth;
  using ScalarGrowth::SetRoot;
  using ScalarGrowth::Split;
  GainParam const& Gain() const { return gain_; }
  Tree const& Grown() const { return tree_; }
};

struct Setting {
  OpenGrowth Growth(double unit) const { return {ctx, {param, rules, place}, GradientUnit{unit, unit}, 3}; }

  Context ctx;
  TreeParam param = DefaultParam();
  ConstraintRules rules;
  TreePlace place;
};

/// Returns a sum of hessians in steps, of any magnitude up to 2^61.
std::int64_t RandomSteps(std::uint64_t key, std::uint64_t place) {
  auto const bits = static_cast<int>(RandomBelow(key, 2 * place, 61));
  return 1 + static_cast<std::int64_t>(RandomUniform(key, 2 * place + 1) * std::ldexp(1.0, bits));
}

TEST(MaySplit, NeverRefusesWhatTwoChildrenAreEnoughFor) {
  Setting setting;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    auto const left = RandomSteps(7, 2 * i);
    // The children just reach min_child_weight, so rounding decides.
    auto const right = left + static_cast<std::int64_t>(RandomBelow(8, i, 3));
    auto const unit = std::ldexp(1.0 + RandomUniform(9, i), -static_cast<int>(RandomBelow(10, i, 60)));
    setting.param.min_child_weight = static_cast<float>(static_cast<double>(left) * unit);
    auto const growth = setting.Growth(unit);
    FixedSum const sums[] = {{0, left}, {0, right}};
    if (!HasEnoughHessian(sums[0], growth.Gain()) || !HasEnoughHessian(sums[1], growth.Gain())) continue;
    ASSERT_TRUE(growth.MaySplit(sums[0] + sums[1], 0)) << left << " and " << right << " steps of " << unit;
  }
}

TEST(MaySplit, RefusesWhatIsClearlyTooLittleOrTooDeep) {
  Setting setting;
  setting.param.min_child_weight = 4.0F;
  setting.param.max_depth = 3;
  auto const growth = setting.Growth(1.0);
  EXPECT_TRUE(growth.MaySplit(FixedSum{0, 8}, 2));
  EXPECT_FALSE(growth.MaySplit(FixedSum{0, 7}, 2));
  EXPECT_FALSE(growth.MaySplit(FixedSum{0, 8}, 3));
  setting.param.min_child_weight = 0.0F;
  setting.param.max_depth = 0;
  auto const free = setting.Growth(1.0);
  EXPECT_TRUE(free.MaySplit(FixedSum{0, 2}, kDepthCap - 1));
  EXPECT_FALSE(free.MaySplit(FixedSum{0, 2}, kDepthCap));
  EXPECT_FALSE(free.MaySplit(FixedSum{0, 1}, 0)) << "one step is not enough for two children";
}

TEST(ScalarGrowth, ASplitMakesTwoLeavesOfItsSums) {
  Setting setting;
  setting.param.eta = 0.5F;
  setting.param.lambda = 0.0F;
  auto growth = setting.Growth(1.0);
  growth.SetRoot({-6, 6});
  SplitCandidate split;
  split.feature = 2;
  split.threshold = 1.5F;
  split.loss_change = 3.0;
  split.left = {-8, 4};
  split.right = {2, 2};
  growth.Split(0, split, {});
  auto const& tree = growth.Grown();
  ASSERT_EQ(tree.NumNodes(), 3);
  EXPECT_EQ(tree.split_feature[0], 2U);
  EXPECT_EQ(tree.base_weight[0], 1.0F);
  EXPECT_EQ(tree.split_value[1], 1.0F);   // 0.5 * 8 / 4
  EXPECT_EQ(tree.split_value[2], -0.5F);  // 0.5 * -2 / 2
  EXPECT_EQ(tree.sum_hessian[1], 4.0F);
}

}  // namespace
}  // namespace kauri
