/// Formulas of objectives that are passed to devices.
#include "objective/formula.h"

#include <gtest/gtest.h>

#include "objective_fixture.h"

namespace kauri {
namespace {

ParamMap const kParams{
    {"num_class", "3"}, {"quantile_alpha", "[0.1, 0.9]"}, {"expectile_alpha", "0.5"}, {"scale_pos_weight", "2.5"}};

template <typename T>
T FormulaOf(std::string const& name) {
  return std::get<T>(MakeObjective(name, kParams)->Formula().value);
}

TEST(ObjectiveFormula, AllButDistributionsAndOneHaveOne) {
  Registry<ObjectiveFactory> registry("objective");
  RegisterObjectives(&registry);
  for (auto const& name : registry.Names()) {
    auto const formula = MakeObjective(name, kParams)->Formula();
    auto const has_none = name == "reg:mape" || name.rfind("dist:", 0) == 0;
    EXPECT_EQ(std::holds_alternative<std::monostate>(formula.value), has_none) << name;
  }
}

TEST(ObjectiveFormula, HoldsTheParameters) {
  EXPECT_EQ(FormulaOf<TwoClassLoss>("binary:logistic").scale_pos_weight, 2.5F);
  EXPECT_EQ(FormulaOf<SoftmaxLoss>("multi:softprob").n_classes, 3);
  auto const quantiles = FormulaOf<std::vector<QuantileLoss>>("reg:quantileerror");
  ASSERT_EQ(quantiles.size(), 2U);
  EXPECT_EQ(quantiles[1].alpha, 0.9F);
  EXPECT_EQ(FormulaOf<LambdaRule>("rank:map").target, RankTarget::kMap);
}

TEST(ObjectiveFormula, LearningAPositionBiasNamesItsState) {
  auto const unbiased = MakeObjective("rank:ndcg", {{"lambdarank_unbiased", "1"}, {"lambdarank_bias_norm", "2.5"}});
  EXPECT_TRUE(std::holds_alternative<LambdaRule>(unbiased->Formula().value));
  ObjectiveState state;
  auto const formula = unbiased->Learning(&state)->Formula();
  EXPECT_EQ(std::get<UnbiasedRule>(formula.value).state, &state);
  EXPECT_EQ(std::get<UnbiasedRule>(formula.value).norm, 2.5);
}

}  // namespace
}  // namespace kauri
