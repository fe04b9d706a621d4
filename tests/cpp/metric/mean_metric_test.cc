/// Metrics that are means over rows, compared with their definitions and with XGBoost 3.2.0.
#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "metric/element_losses.h"
#include "metric_fixture.h"

namespace kauri {
namespace {

using Values200 = std::vector<float>;

Values200 Prediction() {
  return Values(200, [](int i) { return static_cast<float>(i * 37 % 101) / 101.0F; });
}
Values200 BinaryLabel() {
  return Values(200, [](int i) { return i * 53 % 7 < 3 ? 1.0F : 0.0F; });
}
Values200 FractionalLabel() {
  return Values(200, [](int i) { return static_cast<float>(i * 31 % 17) / 16.0F; });
}
Values200 CountLabel() {
  return Values(200, [](int i) { return static_cast<float>(i * 53 % 7); });
}
Values200 Weight() {
  return Values(200, [](int i) { return static_cast<float>(i * 29 % 13 + 1) / 4.0F; });
}

struct Printed {
  std::string metric;
  double plain;
  double weighted;
};

void ExpectPrinted(std::vector<Printed> const& examples, std::vector<float> const& labels) {
  for (auto const& example : examples) {
    EXPECT_NEAR(Evaluate(example.metric, Prediction(), MakeInfo(labels)), example.plain, 2e-8) << example.metric;
    EXPECT_NEAR(Evaluate(example.metric, Prediction(), MakeInfo(labels, Weight())), example.weighted, 2e-8)
        << example.metric;
  }
}

TEST(MeanMetric, AsXGBoostPrintsThem) {
  ExpectPrinted({{"rmse", 0.57506898966909603, 0.57262681419143091},
                 {"mae", 0.49688118806574494, 0.49384724397212265},
                 {"logloss", 1.14427749542519441, 1.00436321080263169},
                 {"error", 0.485, 0.47142857142857142},
                 {"error@0.7", 0.47, 0.46714285714285714}},
                BinaryLabel());
  ExpectPrinted({{"rmse", 0.41176716064118890, 0.41113876322668869},
                 {"mae", 0.33542698226869105, 0.33536554290780002},
                 {"logloss", 0.99189004868268971, 0.98966261048402104},
                 {"error", 0.48875, 0.48075892857142855},
                 {"error@0.7", 0.48875, 0.48816964285714287}},
                FractionalLabel());
}

TEST(MeanMetric, PoissonAsXGBoostPrintsIt) {
  auto const value = Evaluate("poisson-nloglik", Prediction(), MakeInfo(CountLabel()));
  EXPECT_NEAR(value, 6.74267439388670020, 1e-6);
  EXPECT_NEAR(Evaluate("poisson-nloglik", Prediction(), MakeInfo(CountLabel(), Weight())), 6.61154821076563426, 1e-6);
}

TEST(MeanMetric, PositivePredictionsAsXGBoostPrintsThem) {
  auto predictions = Prediction();
  for (auto& value : predictions) value += 0.01F;
  auto const counts = CountLabel();
  auto positive = counts;
  for (auto& label : positive) label += 1.0F;
  auto const expect = [&](Printed const& row, std::vector<float> const& labels) {
    EXPECT_NEAR(Evaluate(row.metric, predictions, MakeInfo(labels)), row.plain, 2e-7 * row.plain) << row.metric;
    EXPECT_NEAR(Evaluate(row.metric, predictions, MakeInfo(labels, Weight())), row.weighted, 2e-7 * row.weighted)
        << row.metric;
  };
  expect({"rmsle", 1.06005482563950415, 1.06687429759243635}, counts);
  expect({"gamma-deviance", 28.05268710136413546, 27.58107295717512031}, counts);
  expect({"tweedie-nloglik@1.5", 12.37423064053058575, 12.50616993738072225}, counts);
  expect({"tweedie-nloglik@1.2", 19.16081891274079751, 19.36292352097109060}, counts);
  expect({"mape", 0.81173505663871770, 0.81289891882601150}, positive);
  expect({"gamma-nloglik", 19.16664968371391353, 18.67138150428022669}, positive);
  expect({"gamma-deviance", 33.90413959503173658, 32.89615965792111041}, positive);
}

TEST(MeanMetric, EdgesOfPositivePredictions) {
  auto const infinity = std::numeric_limits<double>::infinity();
  auto const value = [](std::string const& name, float prediction, float label) {
    return Evaluate(name, {prediction}, MakeInfo({label}));
  };
  EXPECT_EQ(value("rmsle", -1.0F, 1.0F), infinity);
  EXPECT_TRUE(std::isnan(value("rmsle", -2.0F, 1.0F)));
  EXPECT_EQ(value("mape", 1.0F, 0.0F), infinity);
  EXPECT_EQ(value("mape", 1.0F, -1.0F), 2.0);
  EXPECT_NEAR(value("gamma-nloglik", 0.0F, 1.0F), 999986.1875, 0.1);
  EXPECT_EQ(value("gamma-nloglik", -1.0F, 1.0F), value("gamma-nloglik", 0.0F, 1.0F));
  EXPECT_NEAR(value("gamma-deviance", 1.0F, 0.0F), 25.63102531433105469, 1e-5);
  EXPECT_EQ(value("gamma-deviance", 0.0F, 0.0F), 0.0);
  EXPECT_TRUE(std::isnan(value("gamma-deviance", -1.0F, 1.0F)));
  EXPECT_EQ(value("tweedie-nloglik@1.5", 0.0F, 1.0F), infinity);
  EXPECT_EQ(value("tweedie-nloglik@1.5", 1.0F, 0.0F), 2.0);
  EXPECT_TRUE(std::isnan(value("tweedie-nloglik@1.5", -1.0F, 1.0F)));
}

TEST(MeanMetric, AgainstTheirDefinitions) {
  std::map<std::string, double (*)(double, double)> const losses{
      {"rmse", [](double p, double y) { return (p - y) * (p - y); }},
      {"mae", [](double p, double y) { return std::fabs(p - y); }},
      {"logloss", [](double p, double y) { return -(y * std::log(p) + (1 - y) * std::log(1 - p)); }},
      {"error", [](double p, double y) { return p > 0.5 ? 1 - y : y; }},
      {"error@0.25", [](double p, double y) { return p > 0.25 ? 1 - y : y; }},
      {"poisson-nloglik", [](double p, double y) { return p - y * std::log(p) + std::lgamma(y + 1); }},
      {"rmsle", [](double p, double y) { return std::pow(std::log1p(p) - std::log1p(y), 2); }},
      {"mape", [](double p, double y) { return std::fabs(p - y) / y; }},
      {"huber", [](double p, double y) { return (p - y) * (p - y) / 2; }},
      {"fair", [](double p, double y) { return std::fabs(p - y) - std::log1p(std::fabs(p - y)); }},
      {"focal",
       [](double p, double y) {
         return -0.25 * y * (1 - p) * (1 - p) * std::log(p) - 0.75 * (1 - y) * p * p * std::log(1 - p);
       }},
      {"exploss", [](double p, double y) { return y * std::sqrt((1 - p) / p) + (1 - y) * std::sqrt(p / (1 - p)); }},
      {"gamma-nloglik", [](double p, double y) { return y / p + std::log(p); }},
      {"gamma-deviance",
       [](double p, double y) { return 2 * (std::log((p + 1e-6) / (y + 1e-6)) + (y + 1e-6) / (p + 1e-6) - 1); }},
      {"tweedie-nloglik@1.25",
       [](double p, double y) { return -y * std::pow(p, -0.25) / -0.25 + std::pow(p, 0.75) / 0.75; }}};
  for (std::size_t n_targets : {1U, 3U}) {
    std::size_t const n_rows = 9001;
    auto const predictions = RandomValues(n_rows * n_targets, 0.01F, 0.99F, 1);
    auto const labels = RandomValues(n_rows * n_targets, 0.0F, 1.0F, 2);
    auto const weights = RandomValues(n_rows, 0.0F, 3.0F, 3);
    auto const info = MakeInfo(labels, weights, static_cast<std::int64_t>(n_targets));
    for (auto const& [name, loss] : losses) {
      double sum = 0.0;
      double total = 0.0;
      for (std::size_t i = 0; i < labels.size(); ++i) {
        auto const weight = static_cast<double>(weights[i / n_targets]);
        sum += weight * loss(static_cast<double>(predictions[i]), static_cast<double>(labels[i]));
        total += weight;
      }
      auto const expected = name.substr(0, 4) == "rmse" || name == "rmsle" ? std::sqrt(sum / total) : sum / total;
      EXPECT_NEAR(Evaluate(name, predictions, info), expected, 1e-6 * std::max(1.0, expected)) << name;
    }
  }
}

TEST(MeanMetric, LogLossClampsProbabilities) {
  // XGBoost 3.2.0 prints 36.84136199951171875 for a certain but wrong prediction.
  EXPECT_DOUBLE_EQ(Evaluate("logloss", {1.0F}, MakeInfo({0.0F})), 36.84136199951171875);
  EXPECT_DOUBLE_EQ(Evaluate("logloss", {0.0F}, MakeInfo({1.0F})), 36.84136199951171875);
  EXPECT_EQ(Evaluate("logloss", {1.0F}, MakeInfo({1.0F})), 0.0);
}

TEST(MeanMetric, OverflowAndNaNAreShown) {
  EXPECT_EQ(Evaluate("rmse", {1e20F}, MakeInfo({0.0F})), std::numeric_limits<double>::infinity());
  for (auto const* name : {"rmse", "mae", "logloss", "poisson-nloglik"}) {
    EXPECT_TRUE(std::isnan(Evaluate(name, {std::numeric_limits<float>::quiet_NaN()}, MakeInfo({1.0F})))) << name;
  }
}

TEST(MeanMetric, NoWeightAtAllGivesZero) {
  EXPECT_EQ(Evaluate("rmse", {1.0F, 2.0F}, MakeInfo({0.0F, 0.0F}, {0.0F, 0.0F})), 0.0);
  EXPECT_EQ(Evaluate("mae", {}, MakeInfo({})), 0.0);
}

TEST(MeanMetric, ErrorCountsTheThresholdAsNegative) {
  EXPECT_EQ(Evaluate("error", {0.5F, 0.5F}, MakeInfo({0.0F, 1.0F})), 0.5);
  EXPECT_EQ(Evaluate("error@0.25", {0.25F, 0.26F}, MakeInfo({0.0F, 0.0F})), 0.5);
}

TEST(MeanMetric, Names) {
  std::map<std::string, std::string> const names{{"rmse", "rmse"},
                                                 {"rmse@2", "rmse"},
                                                 {"error", "error"},
                                                 {"error@0.5", "error"},
                                                 {"error@0.50", "error"},
                                                 {"error@0.123456789", "error@0.123457"},
                                                 {"error@.7", "error@0.7"},
                                                 {"error@-0.3", "error@-0.3"},
                                                 {"error@1e-3", "error@0.001"},
                                                 {"logloss@3", "logloss"},
                                                 {"merror@0.3", "merror"},
                                                 {"mlogloss", "mlogloss"},
                                                 {"auc@3", "auc"},
                                                 {"aucpr", "aucpr"},
                                                 {"mae", "mae"},
                                                 {"error@1e-7", "error@1e-07"},
                                                 {"poisson-nloglik", "poisson-nloglik"},
                                                 {"gamma-deviance@2", "gamma-deviance"},
                                                 {"tweedie-nloglik@1.50", "tweedie-nloglik@1.5"},
                                                 {"tweedie-nloglik@1", "tweedie-nloglik@1"},
                                                 {"tweedie-nloglik@1.23456789", "tweedie-nloglik@1.23457"}};
  for (auto const& [given, printed] : names) EXPECT_EQ(MakeMetric(given)->Name(), printed);
}

TEST(MeanMetric, BadThresholds) {
  for (auto const* bad : {"x", "nan", "inf", "0.7abc", "1e40", " 0.7", "0,7"}) {
    ExpectParts(MessageOf(ErrorKind::kParameter, [&] { MakeMetric(std::string("error@") + bad); }),
                {std::string("error@") + bad, "finite number", "error@0.7"});
  }
}

TEST(MeanMetric, BadVariancePowers) {
  for (auto const* bad : {"", "@", "@x", "@2", "@0.99", "@nan", "@1.5x"}) {
    ExpectParts(MessageOf(ErrorKind::kParameter, [&] { MakeMetric(std::string("tweedie-nloglik") + bad); }),
                {"tweedie-nloglik", "[1, 2)", "tweedie-nloglik@1.5"});
  }
}

TEST(MeanMetric, OnlyAreasAndRanksAreBetterWhenHigher) {
  std::set<std::string> const maximised{"auc",   "aucpr", "auc_mu", "ams", "r2",   "ndcg",
                                        "ndcg-", "map",   "map-",   "pre", "pre-", "interval-regression-accuracy"};
  Registry<MetricFactory> registry("metric");
  RegisterMetrics(&registry);
  EXPECT_EQ(registry.Names(), (std::vector<std::string>{"rmse",
                                                        "mae",
                                                        "logloss",
                                                        "error",
                                                        "poisson-nloglik",
                                                        "rmsle",
                                                        "mape",
                                                        "mphe",
                                                        "huber",
                                                        "fair",
                                                        "focal",
                                                        "exploss",
                                                        "gamma-nloglik",
                                                        "gamma-deviance",
                                                        "tweedie-nloglik",
                                                        "quantile",
                                                        "expectile",
                                                        "cox-nloglik",
                                                        "aft-nloglik",
                                                        "interval-regression-accuracy",
                                                        "merror",
                                                        "mlogloss",
                                                        "auc",
                                                        "aucpr",
                                                        "auc_mu",
                                                        "ams",
                                                        "r2",
                                                        "ndcg",
                                                        "ndcg-",
                                                        "map",
                                                        "map-",
                                                        "pre",
                                                        "pre-",
                                                        "nll",
                                                        "crps"}));
  for (auto const& entry : registry.Entries()) {
    EXPECT_FALSE(entry.description.empty());
    auto const argument = entry.name == "tweedie-nloglik" ? "1.5" : entry.name == "ams" ? "0.5" : "";
    ParamMap alphas{{"quantile_alpha", "0.5"}, {"expectile_alpha", "0.5"}};
    if (entry.name == "nll" || entry.name == "crps") alphas["objective"] = "dist:normal";
    EXPECT_EQ(entry.make(argument, alphas)->HigherIsBetter(), maximised.count(entry.name) > 0) << entry.name;
  }
}

TEST(MeanMetric, WrongSizes) {
  for (auto const* name : {"rmse", "merror", "auc"}) {
    auto const info = MakeInfo({0.0F, 1.0F});
    ExpectParts(MessageOf(ErrorKind::kData,
                          [&] {
                            Evaluate(name, {1, 2, 3}, info);
                          }),
                {name, "3 predictions", "2 rows"});
    ExpectParts(MessageOf(ErrorKind::kData, [&] { Evaluate(name, {}, info); }), {name, "0 predictions", "2 rows"});
    auto unlabelled = info;
    unlabelled.labels.clear();
    ExpectParts(MessageOf(ErrorKind::kData, [&] { Evaluate(name, {1, 2}, unlabelled); }), {name, "0 labels", "2 rows"});
    auto weighted = info;
    weighted.weights = {1.0F};
    ExpectParts(MessageOf(ErrorKind::kData, [&] { Evaluate(name, {1, 2}, weighted); }), {name, "1 weights", "2 rows"});
  }
  ExpectParts(MessageOf(ErrorKind::kData,
                        [&] {
                          Evaluate("rmse", {1, 2, 3, 4}, MakeInfo({0, 1}));
                        }),
              {"2 predictions per row", "mlogloss"});
}

std::vector<float> Probabilities(std::vector<float> const& margins, std::size_t n_classes) {
  std::vector<float> result(margins.size());
  for (std::size_t row = 0; row < margins.size(); row += n_classes) {
    double sum = 0.0;
    for (std::size_t k = 0; k < n_classes; ++k) sum += std::exp(static_cast<double>(margins[row + k]));
    for (std::size_t k = 0; k < n_classes; ++k) {
      result[row + k] = static_cast<float>(std::exp(static_cast<double>(margins[row + k])) / sum);
    }
  }
  return result;
}

TEST(ClassMetric, AsXGBoostPrintsThem) {
  auto const margins = Values(600, [](int i) { return static_cast<float>(i * 37 % 101) / 32.0F; });
  auto const labels = Values(200, [](int i) { return static_cast<float>(i * 53 % 7 % 3); });
  auto const predictions = Probabilities(margins, 3);
  EXPECT_NEAR(Evaluate("merror", predictions, MakeInfo(labels)), 0.66, 1e-12);
  EXPECT_NEAR(Evaluate("mlogloss", predictions, MakeInfo(labels)), 1.42853855744004243, 1e-7);
  EXPECT_NEAR(Evaluate("auc", predictions, MakeInfo(labels)), 0.50354667500289052, 1e-9);
  EXPECT_NEAR(Evaluate("aucpr", predictions, MakeInfo(labels)), 0.33612280564696967, 1e-9);
  EXPECT_NEAR(Evaluate("merror", predictions, MakeInfo(labels, Weight())), 0.65142857142857147, 1e-12);
  EXPECT_NEAR(Evaluate("mlogloss", predictions, MakeInfo(labels, Weight())), 1.42294016527278089, 1e-7);
  EXPECT_NEAR(Evaluate("auc", predictions, MakeInfo(labels, Weight())), 0.50396764971404295, 1e-9);
  EXPECT_NEAR(Evaluate("aucpr", predictions, MakeInfo(labels, Weight())), 0.33748567662076551, 1e-9);
}

TEST(ClassMetric, TheFirstOfEqualsWins) {
  std::vector<float> const equal{0.25F, 0.25F, 0.25F, 0.25F};
  EXPECT_EQ(Evaluate("merror", equal, MakeInfo({0.0F})), 0.0);
  EXPECT_EQ(Evaluate("merror", equal, MakeInfo({1.0F})), 1.0);
  EXPECT_DOUBLE_EQ(Evaluate("mlogloss", {0.0F, 1.0F}, MakeInfo({0.0F})), 36.84136199951171875);
}

TEST(ClassMetric, Labels) {
  for (auto const* name : {"merror", "mlogloss", "auc", "aucpr"}) {
    std::vector<float> const predictions(6, 0.3F);
    ExpectParts(MessageOf(ErrorKind::kData,
                          [&] {
                            Evaluate(name, predictions, MakeInfo({0, 5}));
                          }),
                {name, "label 5", "row 1", "0 to 2"});
    ExpectParts(MessageOf(ErrorKind::kData,
                          [&] {
                            Evaluate(name, predictions, MakeInfo({0.5F, 1}));
                          }),
                {name, "label 0.5", "row 0"});
  }
  for (auto const* name : {"merror", "mlogloss"}) {
    ExpectParts(MessageOf(ErrorKind::kData,
                          [&] {
                            Evaluate(name, {1, 2, 3, 4}, MakeInfo({0, 1, 0, 1}, {}, 2));
                          }),
                {name, "2 label columns"});
  }
  ExpectParts(MessageOf(ErrorKind::kData,
                        [&] {
                          Evaluate("merror", {1, 2}, MakeInfo({0, 1}));
                        }),
              {"merror", "two classes or more"});
}

TEST(MeanMetric, SameBitsForAnyThreadCount) {
  std::size_t const n = 100003;
  auto const predictions = RandomValues(n, 0.0F, 1.0F, 1);
  auto const labels = RandomValues(n, 0.0F, 1.0F, 2);
  auto const weights = RandomValues(n, 0.0F, 1.0F, 3);
  for (auto const* name : {"rmse", "mae", "logloss", "error", "poisson-nloglik", "rmsle", "mape", "gamma-nloglik",
                           "gamma-deviance", "tweedie-nloglik@1.5"}) {
    EXPECT_EQ(Evaluate(name, predictions, MakeInfo(labels, weights), 1),
              Evaluate(name, predictions, MakeInfo(labels, weights), 8))
        << name;
  }
  std::vector<float> classes(n / 3);
  for (std::size_t row = 0; row < classes.size(); ++row) classes[row] = static_cast<float>(row % 3);
  std::vector<float> const rows(predictions.begin(), predictions.begin() + static_cast<std::ptrdiff_t>(n / 3 * 3));
  for (auto const* name : {"merror", "mlogloss"}) {
    EXPECT_EQ(Evaluate(name, rows, MakeInfo(classes), 1), Evaluate(name, rows, MakeInfo(classes), 8)) << name;
  }
}

TEST(MeanMetric, EveryVectorWidthGivesTheSameBits) {
  std::size_t const n = 4096 + 37;
  auto const predictions = RandomValues(n, 0.0F, 1.0F, 1);
  auto const info = MakeInfo(RandomValues(n, 0.0F, 1.0F, 2), RandomValues(n, 0.0F, 1.0F, 3));
  auto const classes = MakeInfo(std::vector<float>(n / 3, 1.0F));
  std::vector<float> const rows(predictions.begin(), predictions.begin() + static_cast<std::ptrdiff_t>(n / 3 * 3));
  for (auto const* name : {"rmse", "mae", "logloss", "error", "poisson-nloglik", "rmsle", "mape", "gamma-nloglik",
                           "gamma-deviance", "tweedie-nloglik@1.5", "merror", "mlogloss"}) {
    auto const several = std::string(name) == "merror" || std::string(name) == "mlogloss";
    auto const evaluate = [&] { return several ? Evaluate(name, rows, classes) : Evaluate(name, predictions, info); };
    auto const expected = evaluate();
    for (auto remaining = hwy::SupportedTargets(); remaining != 0; remaining &= remaining - 1) {
      hwy::SetSupportedTargetsForTest(remaining & -remaining);
      EXPECT_EQ(evaluate(), expected) << name << " " << hwy::TargetName(remaining & -remaining);
    }
    hwy::SetSupportedTargetsForTest(0);
  }
}

TEST(LogGamma, AgainstLibm) {
  for (double x = 0.01; x < 1e7; x *= 1.0137) {
    auto const truth = static_cast<double>(std::lgamma(static_cast<long double>(x)));
    EXPECT_NEAR(LogGamma(x), truth, 1e-13 * (1.0 + std::fabs(truth))) << x;
  }
  EXPECT_NEAR(LogGamma(1.0), 0.0, 1e-13);
  EXPECT_NEAR(LogGamma(2.0), 0.0, 1e-13);
  EXPECT_EQ(LogGamma(0.0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(LogGamma(std::numeric_limits<double>::infinity()), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(LogGamma(-1e30)));
  EXPECT_TRUE(std::isnan(LogGamma(std::numeric_limits<double>::quiet_NaN())));
}

}  // namespace
}  // namespace kauri
