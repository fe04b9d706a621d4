/// r2, ams@k and auc_mu compared with their definitions and XGBoost 3.4.1; parameters of huber, fair and focal.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "metric_fixture.h"

namespace kauri {
namespace {

auto const kNaN = std::numeric_limits<float>::quiet_NaN();

std::vector<float> Prediction() {
  return Values(200, [](int i) { return static_cast<float>(i * 37 % 101) / 101.0F; });
}
MetaInfo Binary(bool weighted) {
  auto const weights = Values(weighted ? 200 : 0, [](int i) { return static_cast<float>(i * 29 % 13 + 1) / 4.0F; });
  return MakeInfo(Values(200, [](int i) { return i * 53 % 7 < 3 ? 1.0F : 0.0F; }), weights);
}

TEST(Significance, AsXGBoostPrintsIt) {
  struct Printed {
    char const* metric;
    double plain;
    double weighted;
  };
  for (auto const& printed : std::vector<Printed>{{"ams@0.15", 2.33311104774475098, 3.62275934219360352},
                                                  {"ams@0.333", 4.03955125808715820, 5.85332441329956055},
                                                  {"ams@0", 6.96757841110229492, 9.39400672912597656}}) {
    EXPECT_NEAR(Evaluate(printed.metric, Prediction(), Binary(false)), printed.plain, 1e-6) << printed.metric;
    EXPECT_NEAR(Evaluate(printed.metric, Prediction(), Binary(true)), printed.weighted, 1e-6) << printed.metric;
  }
}

TEST(Significance, OfTheTopByHand) {
  // The two highest rows give s = 3, b = 2.
  std::vector<float> const predictions{0.1F, 0.9F, 0.8F, 0.3F};
  auto const info = MakeInfo({1.0F, 1.0F, 0.0F, 0.0F}, {1.0F, 3.0F, 2.0F, 7.0F});
  EXPECT_NEAR(Evaluate("ams@0.5", predictions, info), std::sqrt(2.0 * (15.0 * std::log(1.0 + 3.0 / 12.0) - 3.0)),
              1e-12);
  // Selecting only the highest row is best; equal predictions are selected together, and the last row never.
  EXPECT_NEAR(Evaluate("ams@0", predictions, info), std::sqrt(2.0 * (13.0 * std::log(1.3) - 3.0)), 1e-12);
  EXPECT_EQ(Evaluate("ams@0", {0.5F, 0.5F}, MakeInfo({1.0F, 0.0F})), 0.0);
  EXPECT_EQ(Evaluate("ams@1", predictions, info), Evaluate("ams@0", predictions, info));
  EXPECT_EQ(Evaluate("ams@0.5", {}, MakeInfo({})), 0.0);
  EXPECT_TRUE(std::isnan(Evaluate("ams@0.5", {kNaN, 1.0F}, MakeInfo({0.0F, 1.0F}))));
}

TEST(Significance, NamesAndArguments) {
  EXPECT_EQ(MakeMetric("ams@0.150")->Name(), "ams@0.15");
  EXPECT_EQ(MakeMetric("ams@0.123456789")->Argument(), "0.12345679");
  for (auto const* bad : {"", "@", "@x", "@-0.1", "@1.5", "@nan"}) {
    ExpectParts(MessageOf(ErrorKind::kParameter, [&] { MakeMetric(std::string("ams") + bad); }),
                {"metric ams@", "[0, 1]", "ams@0.15"});
  }
  ExpectParts(MessageOf(ErrorKind::kData,
                        [] {
                          Evaluate("ams@0.5", {1, 2, 3, 4}, MakeInfo({0, 1}));
                        }),
              {"ams@0.5", "2 predictions per row"});
}

/// Computes r2 in long double, column by column.
double NaiveDetermination(std::vector<float> const& predictions, MetaInfo const& info) {
  long double sum = 0;
  for (std::int64_t column = 0; column < info.n_targets; ++column) {
    long double weight = 0;
    long double mean = 0;
    for (std::int64_t row = 0; row < info.n_rows; ++row) {
      weight += info.Weight(row);
      mean += static_cast<long double>(info.labels[row * info.n_targets + column]) * info.Weight(row);
    }
    mean /= weight;
    long double total = 0;
    long double left = 0;
    for (std::int64_t row = 0; row < info.n_rows; ++row) {
      auto const i = row * info.n_targets + column;
      long double const label = info.labels[i];
      total += info.Weight(row) * (label - mean) * (label - mean);
      left += info.Weight(row) * (label - predictions[i]) * (label - predictions[i]);
    }
    sum += 1 - left / total;
  }
  return static_cast<double>(sum / info.n_targets);
}

TEST(Determination, AgainstItsDefinition) {
  for (std::size_t const n_targets : {1U, 3U}) {
    for (float const offset : {0.0F, 1000.0F}) {
      auto const labels = RandomValues(9001 * n_targets, offset, offset + 1.0F, 1);
      auto const predictions = RandomValues(9001 * n_targets, offset, offset + 1.0F, 2);
      for (auto const& weights : {std::vector<float>(), RandomValues(9001, 0.0F, 2.0F, 3)}) {
        auto const info = MakeInfo(labels, weights, static_cast<std::int64_t>(n_targets));
        EXPECT_NEAR(Evaluate("r2", predictions, info), NaiveDetermination(predictions, info), 1e-9);
        EXPECT_EQ(Evaluate("r2", predictions, info, 8), Evaluate("r2", predictions, info));
        EXPECT_EQ(Evaluate("r2", labels, info), 1.0);
      }
    }
  }
}

/// Follows scikit-learn's r2_score, except that this is undefined without rows.
TEST(Determination, WhereLabelsAreEqual) {
  EXPECT_EQ(Evaluate("r2", {2.0F, 2.0F}, MakeInfo({2.0F, 2.0F})), 1.0);
  EXPECT_EQ(Evaluate("r2", {2.0F, 3.0F}, MakeInfo({2.0F, 2.0F})), 0.0);
  EXPECT_EQ(Evaluate("r2", {}, MakeInfo({})), 0.0);
  EXPECT_EQ(Evaluate("r2", {1.0F, 2.0F}, MakeInfo({1.0F, 2.0F}, {0.0F, 0.0F})), 0.0);
  EXPECT_TRUE(std::isnan(Evaluate("r2", {kNaN, 2.0F}, MakeInfo({1.0F, 2.0F}))));
  ExpectParts(MessageOf(ErrorKind::kData,
                        [] {
                          Evaluate("r2", {1, 2, 3, 4}, MakeInfo({0, 1}));
                        }),
              {"r2", "2 predictions per row"});
}

/// Uses all pairs of rows of all pairs of classes; ties count half.
double NaiveAucMu(std::vector<float> const& predictions, MetaInfo const& info, std::int64_t n_classes) {
  double sum = 0.0;
  for (std::int64_t left = 0; left < n_classes; ++left) {
    for (auto right = left + 1; right < n_classes; ++right) {
      double won = 0.0;
      double all = 0.0;
      for (std::int64_t i = 0; i < info.n_rows; ++i) {
        if (info.labels[i] != static_cast<float>(left)) continue;
        for (std::int64_t j = 0; j < info.n_rows; ++j) {
          if (info.labels[j] != static_cast<float>(right)) continue;
          auto const a = predictions[i * n_classes + left] - predictions[i * n_classes + right];
          auto const b = predictions[j * n_classes + left] - predictions[j * n_classes + right];
          auto const weight = static_cast<double>(info.Weight(i)) * static_cast<double>(info.Weight(j));
          won += weight * (a > b ? 1.0 : a == b ? 0.5 : 0.0);
          all += weight;
        }
      }
      sum += won / all;
    }
  }
  auto const n_pairs = n_classes * (n_classes - 1) / 2;
  return sum / static_cast<double>(n_pairs);
}

TEST(AucMu, AgainstItsDefinition) {
  for (std::int64_t const n_classes : {2, 3, 7}) {
    auto predictions = RandomValues(300 * static_cast<std::size_t>(n_classes), 0.0F, 1.0F, 1);
    for (std::size_t i = 0; i < predictions.size(); i += 2) predictions[i] = std::round(predictions[i] * 4.0F) / 4.0F;
    auto labels = RandomValues(300, 0.0F, static_cast<float>(n_classes), 2);
    for (auto& label : labels) label = std::floor(label);
    for (auto const& weights : {std::vector<float>(), RandomValues(300, 0.1F, 2.0F, 3)}) {
      auto const info = MakeInfo(labels, weights);
      EXPECT_NEAR(Evaluate("auc_mu", predictions, info), NaiveAucMu(predictions, info, n_classes), 1e-9) << n_classes;
      EXPECT_EQ(Evaluate("auc_mu", predictions, info, 8), Evaluate("auc_mu", predictions, info));
    }
  }
}

TEST(AucMu, WhereItIsNotDefined) {
  EXPECT_TRUE(std::isnan(Evaluate("auc_mu", {0.1F, 0.9F, 0.2F, 0.8F}, MakeInfo({0.0F, 0.0F}))));
  EXPECT_TRUE(std::isnan(Evaluate("auc_mu", {kNaN, 0.9F, 0.2F, 0.8F}, MakeInfo({0.0F, 1.0F}))));
  EXPECT_EQ(Evaluate("auc_mu", {0.9F, 0.1F, 0.2F, 0.8F}, MakeInfo({0.0F, 1.0F})), 1.0);
  ExpectParts(MessageOf(ErrorKind::kData, [] { Evaluate("auc_mu", {1, 2}, MakeInfo({0, 1})); }), {"auc_mu", "use auc"});
  ExpectParts(MessageOf(ErrorKind::kData,
                        [] {
                          Evaluate("auc_mu", {1, 2, 1, 2}, MakeInfo({0, 2}));
                        }),
              {"auc_mu", "label 2"});
}

double Value(std::string const& name, ParamMap const& params, float prediction, float label) {
  return MakeMetric(name, params)->Evaluate(Context(), std::vector<float>{prediction}, MakeInfo({label}));
}

TEST(RobustMetric, ParametersByHand) {
  EXPECT_EQ(Value("huber", {{"huber_slope", "0.5"}}, 3.0F, 1.0F), 0.5 * (2.0 - 0.25));
  EXPECT_EQ(Value("huber", {{"huber_slope", "-0.5"}}, 1.0F, 3.0F), 0.5 * (2.0 - 0.25));
  EXPECT_EQ(Value("huber", {{"huber_slope", "4"}}, 3.0F, 1.0F), 2.0);
  EXPECT_NEAR(Value("fair", {{"fair_c", "2.5"}}, 3.0F, 1.0F), 6.25 * (0.8 - std::log(1.8)), 1e-6);
  EXPECT_NEAR(Value("fair", {{"fair_c", "2.5"}}, 0.002F, 0.0F), 6.25 * (0.0008 - std::log1p(0.0008)), 1e-12);
  ParamMap const focal{{"focal_gamma", "0.5"}, {"focal_alpha", "0.6"}};
  EXPECT_NEAR(Value("focal", focal, 0.75F, 1.0F), -0.6 * 0.5 * std::log(0.75), 1e-7);
  EXPECT_NEAR(Value("focal", focal, 0.75F, 0.0F), -0.4 * std::sqrt(0.75) * std::log(0.25), 1e-7);
  EXPECT_EQ(Value("focal", {}, 1.0F, 1.0F), 0.0);
  EXPECT_NEAR(Value("focal", {}, 0.0F, 1.0F), 0.25 * 36.8413615, 1e-5);
}

}  // namespace
}  // namespace kauri
