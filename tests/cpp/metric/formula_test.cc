/// Formulas of metrics that are passed to devices.
#include "metric/formula.h"

#include <gtest/gtest.h>

#include <set>

#include "metric_fixture.h"

namespace kauri {
namespace {

ParamMap const kParams{{"quantile_alpha", "[0.1, 0.9]"}, {"expectile_alpha", "0.5"}, {"huber_slope", "0.25"}};

template <typename T>
T FormulaOf(std::string const& name) {
  return std::get<T>(MakeMetric(name, kParams)->Formula().value);
}

TEST(MetricFormula, AllButAFewHaveOne) {
  std::set<std::string> const without{"auc_mu", "ams", "r2", "nll", "crps"};
  Registry<MetricFactory> registry("metric");
  RegisterMetrics(&registry);
  for (auto const& name : registry.Names()) {
    auto const formula = MakeMetric(name == "tweedie-nloglik" ? name + "@1.5"
                                    : name == "ams"           ? "ams@0.5"
                                                              : name,
                                    name == "nll" || name == "crps" ? ParamMap{{"objective", "dist:normal"}} : kParams)
                             ->Formula();
    EXPECT_EQ(std::holds_alternative<std::monostate>(formula.value), without.count(name) > 0) << name;
  }
}

TEST(MetricFormula, HoldsArgumentsAndParameters) {
  EXPECT_EQ(FormulaOf<ThresholdError>("error@0.123456789").threshold, 0.123456789F);
  EXPECT_EQ(FormulaOf<PseudoHuberDifference>("mphe").slope, 0.25F);
  EXPECT_EQ(FormulaOf<std::vector<PinballLoss>>("quantile").size(), 2U);
  EXPECT_EQ(FormulaOf<RankRule>("pre@7").top, 7);
}

}  // namespace
}  // namespace kauri
