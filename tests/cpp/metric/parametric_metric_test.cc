/// mphe, quantile, expectile and the metrics of survival, compared with their definitions and with XGBoost 3.2.0.
#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "metric_fixture.h"

namespace kauri {
namespace {

std::vector<float> Prediction() {
  return Values(200, [](int i) { return static_cast<float>(static_cast<double>(i * 37 % 101) / 32.0 + 0.05); });
}
std::vector<float> Label() {
  return Values(200, [](int i) { return static_cast<float>(i * 53 % 67) / 20.0F; });
}
std::vector<float> Weight() {
  return Values(200, [](int i) { return static_cast<float>(i * 29 % 7) / 2.0F; });
}

/// Returns labels: for Cox every third row is censored; for the others exact, unbounded on either side, and between
/// bounds.
MetaInfo MakeSurvival(bool weighted) {
  auto info = MakeInfo(Label(), weighted ? Weight() : std::vector<float>());
  float const infinity = std::numeric_limits<float>::infinity();
  for (int i = 0; i < 200; ++i) {
    auto const label = static_cast<double>(info.labels[i]);
    auto const lower = i % 5 == 0 ? 0.0F : static_cast<float>(label + 0.1);
    auto const upper = static_cast<float>(i % 2 == 0 ? label + 0.1 : label + 1.0);
    info.label_lower_bound.push_back(lower);
    info.label_upper_bound.push_back(i % 7 == 0 ? infinity : std::max(lower, upper));
  }
  for (int i = 0; i < 200; ++i) {
    auto& label = info.labels[i];
    label = static_cast<float>((static_cast<double>(label) + 0.1) * (i % 3 == 0 ? -1.0 : 1.0));
  }
  return info;
}

double Value(std::string const& name, ParamMap const& params, std::vector<float> const& predictions,
             MetaInfo const& info, int threads = 1) {
  Context ctx;
  ctx.threads = threads;
  return MakeMetric(name, params)->Evaluate(ctx, predictions, info);
}

struct Printed {
  std::string metric;
  ParamMap params;
  double plain;
  double weighted;
};

TEST(ParametricMetric, AsXGBoostPrintsThem) {
  for (auto const& example :
       std::vector<Printed>{{"mphe", {}, 0.55178272962570185, 0.53692706385846889},
                            {"mphe", {{"huber_slope", "0.5"}}, 0.36742939740419389, 0.35761551197731134},
                            {"quantile", {{"quantile_alpha", "0.3"}}, 0.52515936692012477, 0.51271148125471722}}) {
    EXPECT_NEAR(Value(example.metric, example.params, Prediction(), MakeInfo(Label())), example.plain, 3e-8);
    EXPECT_NEAR(Value(example.metric, example.params, Prediction(), MakeInfo(Label(), Weight())), example.weighted,
                3e-8);
  }
}

TEST(SurvivalMetric, AsXGBoostPrintsThem) {
  for (auto const& example : std::vector<Printed>{
           {"cox-nloglik", {}, 4.64182113215933612, 4.64182113215933612},
           {"aft-nloglik", {}, 2.29095293897350816, 2.64337311535423325},
           {"aft-nloglik", {{"aft_loss_distribution", "logistic"}}, 1.95091526033063101, 2.23649121390599781},
           {"aft-nloglik", {{"aft_loss_distribution", "extreme"}}, 1.79772174433043253, 2.03153130590776820},
           {"interval-regression-accuracy", {}, 0.195, 0.08754208754208755}}) {
    EXPECT_NEAR(Value(example.metric, example.params, Prediction(), MakeSurvival(false)), example.plain, 1e-6);
    EXPECT_NEAR(Value(example.metric, example.params, Prediction(), MakeSurvival(true)), example.weighted, 1e-6);
  }
}

/// XGBoost 3.2.0 leaves the scale out of the metric, so it is not the likelihood of the model.
TEST(SurvivalMetric, AftUsesTheScale) {
  auto info = MakeInfo({1.0F});
  info.label_lower_bound = info.label_upper_bound = {2.0F};
  ParamMap const params{{"aft_loss_distribution_scale", "1.5"}};
  EXPECT_NEAR(Value("aft-nloglik", params, {0.3F}, info), 2.05189853422439, 1e-6);
}

TEST(SurvivalMetric, CoxByItsDefinition) {
  std::size_t const n = 60;
  auto const hazards = RandomValues(n, 0.1F, 3.0F, 1);
  auto labels = RandomValues(n, 0.0F, 6.0F, 2);
  for (std::size_t i = 0; i < n; ++i) labels[i] = std::floor(labels[i]) * (i % 4 == 0 ? -1.0F : 1.0F);
  double loss = 0.0;
  int n_events = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (labels[i] <= 0.0F) continue;
    double risk = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
      if (std::fabs(labels[j]) >= labels[i]) risk += static_cast<double>(hazards[j]);
    }
    loss += std::log(risk / static_cast<double>(hazards[i]));
    ++n_events;
  }
  EXPECT_NEAR(Value("cox-nloglik", {}, hazards, MakeInfo(labels)), loss / n_events, 1e-12);
  EXPECT_TRUE(std::isnan(Value("cox-nloglik", {}, {1.0F, 2.0F}, MakeInfo({-1.0F, -2.0F}))));
}

/// Two alphas per row share its label and weight.
TEST(ParametricMetric, SeveralAlphas) {
  std::size_t const n = 5000;
  auto const predictions = RandomValues(2 * n, -2.0F, 2.0F, 1);
  auto const labels = RandomValues(n, -2.0F, 2.0F, 2);
  auto const weights = RandomValues(n, 0.0F, 2.0F, 3);
  double const alphas[] = {0.25, 0.9};
  double sums[] = {0.0, 0.0};
  double total = 0.0;
  for (std::size_t i = 0; i < 2 * n; ++i) {
    auto const difference = static_cast<double>(labels[i / 2]) - static_cast<double>(predictions[i]);
    auto const share = static_cast<double>(weights[i / 2]) * (difference > 0.0 ? alphas[i % 2] : 1.0 - alphas[i % 2]);
    sums[0] += share * std::fabs(difference);
    sums[1] += share * difference * difference;
    total += static_cast<double>(weights[i / 2]);
  }
  auto const info = MakeInfo(labels, weights);
  EXPECT_NEAR(Value("quantile", {{"quantile_alpha", "[0.25,0.9]"}}, predictions, info), sums[0] / total, 1e-6);
  EXPECT_NEAR(Value("expectile", {{"expectile_alpha", "[0.25,0.9]"}}, predictions, info), sums[1] / total, 1e-6);
}

TEST(ParametricMetric, PseudoHuberOfSmallAndLargeDifferences) {
  EXPECT_FLOAT_EQ(static_cast<float>(Value("mphe", {}, {1e-4F}, MakeInfo({0.0F}))), 5e-9F);
  EXPECT_NEAR(Value("mphe", {}, {1e6F}, MakeInfo({0.0F})), 999999.0, 0.1);
}

TEST(ParametricMetric, SameBitsForAnyThreadCountAndVectorWidth) {
  std::size_t const n = 50003;
  auto const predictions = RandomValues(n, 0.0F, 2.0F, 1);
  auto info = MakeInfo(RandomValues(n, 0.0F, 1.0F, 2), RandomValues(n, 0.0F, 1.0F, 3));
  info.label_lower_bound = info.labels;
  info.label_upper_bound = RandomValues(n, 1.0F, 3.0F, 4);
  ParamMap const params{{"quantile_alpha", "0.3"}, {"expectile_alpha", "0.3"}};
  for (auto const* name :
       {"mphe", "quantile", "expectile", "cox-nloglik", "aft-nloglik", "interval-regression-accuracy"}) {
    auto const expected = Value(name, params, predictions, info);
    EXPECT_EQ(Value(name, params, predictions, info, 8), expected) << name;
    for (auto remaining = hwy::SupportedTargets(); remaining != 0; remaining &= remaining - 1) {
      hwy::SetSupportedTargetsForTest(remaining & -remaining);
      EXPECT_EQ(Value(name, params, predictions, info), expected) << name;
    }
    hwy::SetSupportedTargetsForTest(0);
  }
}

TEST(ParametricMetric, NeedsItsParameter) {
  for (auto const* name : {"quantile", "expectile"}) {
    ExpectParts(MessageOf(ErrorKind::kParameter, [&] { MakeMetric(name); }), {name, "_alpha", "[0.1, 0.9]"});
  }
}

TEST(ParametricMetric, WrongSizes) {
  ParamMap const two{{"quantile_alpha", "[0.1,0.9]"}};
  auto const error = [&](std::string const& name, std::vector<float> const& predictions, MetaInfo const& info) {
    return MessageOf(ErrorKind::kData, [&] { Value(name, two, predictions, info); });
  };
  ExpectParts(error("quantile", {1.0F, 2.0F}, MakeInfo({0.0F, 1.0F})), {"1 predictions per row", "2 alphas"});
  ExpectParts(error("quantile", {1, 2, 3, 4}, MakeInfo({0, 1, 2, 3}, {}, 2)), {"2 label columns"});
  ExpectParts(error("cox-nloglik", {1, 2, 3, 4}, MakeInfo({0, 1})), {"cox-nloglik", "2 predictions per row"});
  for (auto const* name : {"aft-nloglik", "interval-regression-accuracy"}) {
    auto info = MakeInfo({1.0F, 2.0F});
    ExpectParts(error(name, {1.0F, 2.0F}, info), {name, "0 values of label_lower_bound", "2 rows"});
    info.label_lower_bound = info.label_upper_bound = {1.0F, 2.0F};
    ExpectParts(error(name, {1.0F}, info), {name, "1 predictions", "2 rows"});
    info.weights = {1.0F};
    ExpectParts(error(name, {1.0F, 2.0F}, info), {name, "1 weights", "2 rows"});
  }
}

}  // namespace
}  // namespace kauri
