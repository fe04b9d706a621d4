/// auc and aucpr against their definitions, XGBoost 3.2.0 and scikit-learn.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "common/text/log.h"
#include "metric/ranked_rows.h"
#include "metric_fixture.h"

namespace kauri {
namespace {

/// Computes the probability that a positive is ranked above a negative, from all pairs; ties count half.
double NaiveAuc(std::vector<float> const& predictions, MetaInfo const& info) {
  double won = 0.0;
  double pairs = 0.0;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    for (std::size_t j = 0; j < predictions.size(); ++j) {
      auto const positive = static_cast<double>(info.labels[i] * info.Weight(static_cast<std::int64_t>(i)));
      auto const negative = static_cast<double>((1.0F - info.labels[j]) * info.Weight(static_cast<std::int64_t>(j)));
      auto const win = predictions[i] > predictions[j] ? 1.0 : predictions[i] == predictions[j] ? 0.5 : 0.0;
      won += positive * negative * win;
      pairs += positive * negative;
    }
  }
  return won / pairs;
}

/// Integrates precision over recall: a point at each distinct prediction, with steps of equal tp between points
/// (Simpson's rule).
double NaiveAucpr(std::vector<float> const& predictions, MetaInfo const& info) {
  std::vector<float> thresholds = predictions;
  std::sort(thresholds.begin(), thresholds.end(), std::greater<float>());
  thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
  double tp0 = 0.0;
  double fp0 = 0.0;
  double area = 0.0;
  for (auto const threshold : thresholds) {
    double tp = 0.0;
    double fp = 0.0;
    for (std::size_t i = 0; i < predictions.size(); ++i) {
      if (predictions[i] < threshold) continue;
      auto const weight = static_cast<double>(info.Weight(static_cast<std::int64_t>(i)));
      tp += weight * static_cast<double>(info.labels[i]);
      fp += weight * (1.0 - static_cast<double>(info.labels[i]));
    }
    int const steps = 2000;
    for (int step = 0; step <= steps && tp > tp0; ++step) {
      auto const share = std::max(static_cast<double>(step) / steps, 1e-12);
      auto const x = tp0 + (tp - tp0) * share;
      auto const precision = x / (x + fp0 + (fp - fp0) * share);
      auto const factor = step == 0 || step == steps ? 1.0 : step % 2 == 1 ? 4.0 : 2.0;
      area += precision * factor * (tp - tp0) / (3.0 * steps);
    }
    tp0 = tp;
    fp0 = fp;
  }
  return area / tp0;
}

std::vector<float> Rounded(std::vector<float> values, float per_unit) {
  for (auto& value : values) value = std::round(value * per_unit) / per_unit;
  return values;
}

TEST(AreaMetric, AgainstTheirDefinitions) {
  for (std::size_t n : {2U, 31U, 33U, 400U}) {
    for (float levels : {2.0F, 10.0F, 1e6F}) {
      auto const predictions = Rounded(RandomValues(n, -1.0F, 1.0F, 1), levels);
      auto labels = Rounded(RandomValues(n, 0.0F, 1.0F, 2), 1.0F);
      labels[0] = 0.0F;
      labels[1] = 1.0F;
      for (auto const& weights : {std::vector<float>(), RandomValues(n, 0.1F, 2.0F, 3)}) {
        auto const info = MakeInfo(labels, weights);
        EXPECT_NEAR(Evaluate("auc", predictions, info), NaiveAuc(predictions, info), 1e-6) << n << " " << levels;
        EXPECT_NEAR(Evaluate("aucpr", predictions, info), NaiveAucpr(predictions, info), 1e-6) << n << " " << levels;
      }
    }
  }
}

TEST(AreaMetric, SeveralColumnsOfLabelsAreTheirMean) {
  std::vector<float> const predictions{0.1F, 0.9F, 0.8F, 0.4F, 0.35F, 0.2F, 0.6F, 0.7F};
  std::vector<float> const weights{1.0F, 2.0F, 0.5F, 3.0F};
  auto const column = [&](std::vector<float> const& of, std::size_t first) {
    return std::vector<float>{of[first], of[first + 2], of[first + 4], of[first + 6]};
  };
  std::vector<float> labels{0.0F, 1.0F, 1.0F, 0.0F, 1.0F, 1.0F, 0.0F, 0.0F};
  for (auto const* name : {"auc", "aucpr"}) {
    auto mean = 0.0;
    for (std::size_t first = 0; first < 2; ++first) {
      mean += Evaluate(name, column(predictions, first), MakeInfo(column(labels, first), weights)) / 2.0;
    }
    EXPECT_DOUBLE_EQ(Evaluate(name, predictions, MakeInfo(labels, weights, 2)), mean) << name;
  }
  for (std::size_t i = 0; i < labels.size(); i += 2) labels[i] = 0.0F;
  EXPECT_TRUE(std::isnan(Evaluate("auc", predictions, MakeInfo(labels, weights, 2))));
}

TEST(AreaMetric, FractionalLabels) {
  auto const predictions = Rounded(RandomValues(200, 0.0F, 1.0F, 1), 20.0F);
  auto const info = MakeInfo(RandomValues(200, 0.0F, 1.0F, 2), RandomValues(200, 0.0F, 2.0F, 3));
  EXPECT_NEAR(Evaluate("auc", predictions, info), NaiveAuc(predictions, info), 1e-6);
  EXPECT_NEAR(Evaluate("aucpr", predictions, info), NaiveAucpr(predictions, info), 1e-6);
}

TEST(AreaMetric, AsXGBoostAndScikitLearnPrintThem) {
  auto const predictions = Values(200, [](int i) { return static_cast<float>(i * 37 % 101) / 101.0F; });
  auto const labels = Values(200, [](int i) { return i * 53 % 7 < 3 ? 1.0F : 0.0F; });
  auto const fractional = Values(200, [](int i) { return static_cast<float>(i * 31 % 17) / 16.0F; });
  auto const weights = Values(200, [](int i) { return static_cast<float>(i * 29 % 13 + 1) / 4.0F; });
  // Reference: sklearn.metrics.roc_auc_score gives 0.5050489596083232 and, weighted, 0.5106822916666667.
  EXPECT_NEAR(Evaluate("auc", predictions, MakeInfo(labels)), 0.5050489596083232, 1e-12);
  EXPECT_NEAR(Evaluate("auc", predictions, MakeInfo(labels, weights)), 0.5106822916666667, 1e-12);
  EXPECT_NEAR(Evaluate("auc", predictions, MakeInfo(fractional)), 0.51797815309086426, 1e-12);
  EXPECT_NEAR(Evaluate("auc", predictions, MakeInfo(fractional, weights)), 0.51996632021557398, 1e-12);
  // Reference: XGBoost 3.2.0.
  EXPECT_NEAR(Evaluate("aucpr", predictions, MakeInfo(labels)), 0.44167884523729201, 1e-12);
  EXPECT_NEAR(Evaluate("aucpr", predictions, MakeInfo(labels, weights)), 0.45056623854040040, 1e-12);
  EXPECT_NEAR(Evaluate("aucpr", predictions, MakeInfo(fractional)), 0.52017806528152022, 1e-12);
  EXPECT_NEAR(Evaluate("aucpr", predictions, MakeInfo(fractional, weights)), 0.51962558314544238, 1e-12);
}

TEST(AreaMetric, Extremes) {
  EXPECT_EQ(Evaluate("auc", {1, 2, 3, 4}, MakeInfo({0, 0, 1, 1})), 1.0);
  EXPECT_EQ(Evaluate("auc", {4, 3, 2, 1}, MakeInfo({0, 0, 1, 1})), 0.0);
  EXPECT_EQ(Evaluate("auc", {7, 7, 7, 7}, MakeInfo({0, 0, 1, 1})), 0.5);
  EXPECT_EQ(Evaluate("auc", {-0.0F, 0.0F}, MakeInfo({0, 1})), 0.5);
  EXPECT_EQ(Evaluate("aucpr", {1, 2, 3, 4}, MakeInfo({0, 0, 1, 1})), 1.0);
  EXPECT_EQ(Evaluate("aucpr", {7, 7, 7, 7}, MakeInfo({0, 0, 1, 1})), 0.5);
  auto const infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(Evaluate("auc", {-infinity, -1e30F, 1e30F, infinity}, MakeInfo({0, 1, 0, 1})), 0.75);
}

std::string g_last_line;

class AreaWarning : public ::testing::Test {
 protected:
  void SetUp() override {
    g_last_line.clear();
    SetLogCallback([](char const* line) { g_last_line = line; });
  }
  void TearDown() override { SetLogCallback(nullptr); }
};

TEST_F(AreaWarning, UndefinedIsNaNWithAWarning) {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  for (std::string const name : {"auc", "aucpr"}) {
    for (auto const& info : {MakeInfo({0, 0}), MakeInfo({1, 1}), MakeInfo({0, 1}, {0, 0}), MakeInfo({0, 1}, {0, 1})}) {
      g_last_line.clear();
      EXPECT_TRUE(std::isnan(Evaluate(name, {0.2F, 0.4F}, info)));
      ExpectParts(g_last_line, {name + " is not defined"});
    }
    EXPECT_TRUE(std::isnan(Evaluate(name, {}, MakeInfo({}))));
    EXPECT_TRUE(std::isnan(Evaluate(name, {nan, 0.4F}, MakeInfo({0, 1}))));
    EXPECT_TRUE(std::isnan(Evaluate(name, {0.4F, -nan}, MakeInfo({0, 1}))));
    // Several classes, one of them without rows.
    EXPECT_TRUE(std::isnan(Evaluate(name, {0.2F, 0.4F, 0.4F, 0.1F, 0.2F, 0.7F}, MakeInfo({0, 1}))));
  }
}

TEST_F(AreaWarning, DefinedIsSilent) {
  Evaluate("auc", {0.2F, 0.4F}, MakeInfo({0, 1}));
  EXPECT_EQ(g_last_line, "");
}

TEST(AreaMetric, LabelsOutsideZeroToOne) {
  for (auto const* name : {"auc", "aucpr"}) {
    for (float bad : {1.5F, -0.5F, std::numeric_limits<float>::quiet_NaN()}) {
      ExpectParts(MessageOf(ErrorKind::kData,
                            [&] {
                              Evaluate(name, {1, 2, 3}, MakeInfo({0, bad, 1}));
                            }),
                  {name, "row 1", "[0, 1]"});
    }
  }
}

TEST(AreaMetric, SameBitsForAnyThreadCount) {
  std::size_t const n = 300007;  // several blocks of the sort
  auto const predictions = Rounded(RandomValues(n, -5.0F, 5.0F, 1), 1000.0F);
  auto const info = MakeInfo(RandomValues(n, 0.0F, 1.0F, 2), RandomValues(n, 0.0F, 1.0F, 3));
  for (auto const* name : {"auc", "aucpr"}) {
    EXPECT_EQ(Evaluate(name, predictions, info, 1), Evaluate(name, predictions, info, 8)) << name;
  }
}

TEST(AreaMetric, WeightsOfManyMagnitudes) {
  std::size_t const n = 2000;
  auto const predictions = Rounded(RandomValues(n, -1.0F, 1.0F, 1), 50.0F);
  auto weights = RandomValues(n, -30.0F, 0.0F, 2);
  for (auto& weight : weights) weight = std::exp2(weight);
  auto const info = MakeInfo(Rounded(RandomValues(n, 0.0F, 1.0F, 3), 1.0F), weights);
  EXPECT_NEAR(Evaluate("auc", predictions, info), NaiveAuc(predictions, info), 1e-9);
  auto large = info;
  for (auto& weight : large.weights) weight *= 0x1p90F;
  EXPECT_EQ(Evaluate("auc", predictions, large), Evaluate("auc", predictions, info));
  EXPECT_EQ(Evaluate("aucpr", predictions, large), Evaluate("aucpr", predictions, info));
  // A weight far below the unit is enough for its class to exist.
  EXPECT_EQ(Evaluate("auc", {1, 2, 3}, MakeInfo({0, 0, 1}, {1e30F, 1e30F, 1e-30F})), 1.0);
}

TEST(RankedRows, SortIsStableAndDescending) {
  Context ctx;
  ctx.threads = 4;
  for (std::size_t n : {0U, 1U, 255U, 257U, 65536U, 65537U, 200003U}) {
    auto predictions = Rounded(RandomValues(n, -1e3F, 1e3F, 1), 10.0F);
    if (n > 100) predictions[n / 2] = std::numeric_limits<float>::infinity();
    std::vector<RankedRow> rows(n);
    for (std::size_t i = 0; i < n; ++i) rows[i] = {DescendingFloatKey(predictions[i]), static_cast<float>(i), 0.0F};
    SortRankedRows(ctx, &rows);
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return predictions[a] > predictions[b]; });
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(rows[i].positive, static_cast<float>(order[i])) << n;
  }
}

TEST(RankedRows, KeysOfNaN) {
  auto const infinity = std::numeric_limits<float>::infinity();
  float const nan = std::numeric_limits<float>::quiet_NaN();
  for (float value : {infinity, -infinity, 0.0F, -0.0F, 3e38F, -3e38F})
    EXPECT_FALSE(IsNaNKey(DescendingFloatKey(value)));
  EXPECT_TRUE(IsNaNKey(DescendingFloatKey(nan)));
  EXPECT_TRUE(IsNaNKey(DescendingFloatKey(-nan)));
  EXPECT_EQ(DescendingFloatKey(0.0F), DescendingFloatKey(-0.0F));
}

}  // namespace
}  // namespace kauri
