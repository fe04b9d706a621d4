/// Errors that metrics report before evaluation; Evaluate gives the same messages.
#include <gtest/gtest.h>

#include "metric_fixture.h"

namespace kauri {
namespace {

bool IsValid(Metric const& metric, MetaInfo const& info, std::int64_t n_outputs) {
  try {
    metric.Validate(info, n_outputs);
  } catch (Error const& error) {
    EXPECT_EQ(error.Kind(), ErrorKind::kData) << error.what();
    return false;
  }
  return true;
}

TEST(MetricValidate, OutputsAndLabelsOfMeans) {
  auto const element = MakeMetric("rmse");
  auto const of_class = MakeMetric("merror");
  auto info = MakeInfo({0, 1, 2, 1, 0});
  EXPECT_TRUE(IsValid(*element, info, 1));
  EXPECT_FALSE(IsValid(*element, info, 3));
  EXPECT_TRUE(IsValid(*of_class, info, 3));
  EXPECT_FALSE(IsValid(*of_class, info, 1));
  info.labels[4] = 3.0F;
  EXPECT_FALSE(IsValid(*of_class, info, 3));
  info.labels[4] = 0.5F;
  EXPECT_FALSE(IsValid(*of_class, info, 3));
  info.labels.pop_back();
  EXPECT_FALSE(IsValid(*element, info, 1));
}

TEST(MetricValidate, AlphasAndBounds) {
  auto const quantile = MakeMetric("quantile", {{"quantile_alpha", "[0.1, 0.9]"}});
  auto info = MakeInfo({0.0F, 1.0F});
  EXPECT_TRUE(IsValid(*quantile, info, 2));
  EXPECT_FALSE(IsValid(*quantile, info, 1));
  auto const aft = MakeMetric("aft-nloglik");
  EXPECT_FALSE(IsValid(*aft, info, 1));
  info.label_lower_bound = info.label_upper_bound = {1.0F, 2.0F};
  EXPECT_TRUE(IsValid(*aft, info, 1));
  EXPECT_FALSE(IsValid(*aft, info, 2));
}

TEST(MetricValidate, Areas) {
  auto const roc = MakeMetric("auc");
  auto const precision = MakeMetric("aucpr");
  auto const info = MakeInfo({0, 1, 2, 0, 1, 2}, {1, 1, 1, 1, 1, 1});
  EXPECT_TRUE(IsValid(*roc, info, 3));
  EXPECT_FALSE(IsValid(*roc, info, 1));
  EXPECT_FALSE(IsValid(*roc, info, 2));
  auto grouped = Grouped(MakeInfo({0, 1, 2, 0, 1, 2}, {1, 1}), {3, 3});
  EXPECT_TRUE(IsValid(*roc, grouped, 1));
  EXPECT_FALSE(IsValid(*roc, grouped, 3));
  EXPECT_FALSE(IsValid(*precision, grouped, 1));
  grouped.weights.push_back(1.0F);
  EXPECT_FALSE(IsValid(*roc, grouped, 1));
}

TEST(MetricValidate, RanksByTheirRule) {
  auto const ndcg = MakeMetric("ndcg@3");
  auto const gain = MakeMetric("ndcg@3", {{"ndcg_exp_gain", "0"}});
  auto const map = MakeMetric("map");
  auto info = Grouped(MakeInfo({0, 1, 1, 0}, {1, 2}), {2, 2});
  for (auto const* metric : {&ndcg, &gain, &map}) {
    EXPECT_TRUE(IsValid(**metric, info, 1));
    EXPECT_FALSE(IsValid(**metric, info, 2));
  }
  info.labels[3] = 2.0F;
  EXPECT_TRUE(IsValid(*ndcg, info, 1));
  EXPECT_FALSE(IsValid(*map, info, 1));
  info.labels[3] = 32.0F;
  EXPECT_FALSE(IsValid(*ndcg, info, 1));
  EXPECT_TRUE(IsValid(*gain, info, 1));
  info.weights.assign(4, 1.0F);
  EXPECT_FALSE(IsValid(*gain, info, 1));
}

TEST(MetricValidate, SaysWhatEvaluateSays) {
  auto const metric = MakeMetric("ndcg");
  auto const info = Grouped(MakeInfo({0, 40}), {2});
  auto const said = MessageOf(ErrorKind::kData, [&] { metric->Validate(info, 1); });
  ExpectParts(said, {"label 40", "row 1", "ndcg_exp_gain=0"});
  EXPECT_EQ(said, MessageOf(ErrorKind::kData, [&] { Evaluate("ndcg", {1, 2}, info); }));
}

TEST(MetricValidate, NothingIsRight) {
  for (auto const* name : {"rmse", "merror", "auc", "ndcg"}) EXPECT_TRUE(IsValid(*MakeMetric(name), MetaInfo{}, 1));
}

}  // namespace
}  // namespace kauri
