/// ndcg, map and pre against their definitions, worked examples and XGBoost 3.2.0.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "common/sums.h"
#include "metric_fixture.h"

namespace kauri {
namespace {

constexpr std::size_t kDefaultTop = 32;

std::vector<float> Sorted(std::vector<float> values) {
  std::sort(values.begin(), values.end(), std::greater<float>());
  return values;
}

std::size_t Relevant(std::vector<float> const& labels) {
  return labels.size() - static_cast<std::size_t>(std::count(labels.begin(), labels.end(), 0.0F));
}

double NaiveDcg(std::vector<float> const& ranked, std::size_t top, bool exponential) {
  double sum = 0.0;
  for (std::size_t i = 0; i < std::min(ranked.size(), top); ++i) {
    auto const label = static_cast<double>(ranked[i]);
    sum += (exponential ? std::pow(2.0, label) - 1.0 : label) / std::log2(static_cast<double>(i) + 2.0);
  }
  return sum;
}

double NaiveMap(std::vector<float> const& ranked, std::size_t top) {
  double sum = 0.0;
  for (std::size_t i = 0; i < std::min(ranked.size(), top); ++i) {
    std::vector<float> const first(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    if (ranked[i] > 0.0F) sum += static_cast<double>(Relevant(first)) / static_cast<double>(i + 1);
  }
  return sum / static_cast<double>(std::min(Relevant(ranked), top));
}

/// Returns the mean over groups by the definition. kind: "ndcg", "gain" (ndcg of plain labels), "map", "pre".
double Naive(std::string const& kind, std::size_t top, std::vector<float> const& predictions, MetaInfo const& info) {
  double sum = 0.0;
  double weights = 0.0;
  for (std::size_t group = 0; group + 1 < info.group_ptr.size(); ++group) {
    std::vector<std::size_t> order(info.group_ptr[group + 1] - info.group_ptr[group]);
    std::iota(order.begin(), order.end(), static_cast<std::size_t>(info.group_ptr[group]));
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return predictions[a] > predictions[b]; });
    std::vector<float> ranked;
    for (auto const row : order) ranked.push_back(info.labels[row]);
    auto const weight = static_cast<double>(info.Weight(static_cast<std::int64_t>(group)));
    weights += weight;
    if (kind == "pre") {
      std::vector<float> const first(ranked.begin(),
                                     ranked.begin() + static_cast<std::ptrdiff_t>(std::min(top, ranked.size())));
      sum +=
          weight * static_cast<double>(Relevant(first)) / static_cast<double>(std::max<std::size_t>(1, first.size()));
    } else if (Relevant(ranked) == 0) {
      sum += kind == "map" ? weight : 1.0;
    } else if (kind == "map") {
      sum += weight * NaiveMap(ranked, top);
    } else {
      sum += weight * NaiveDcg(ranked, top, kind == "ndcg") / NaiveDcg(Sorted(ranked), top, kind == "ndcg");
    }
  }
  return std::min(1.0, sum / weights);
}

double EvaluateWith(ParamMap const& params, std::string const& name, std::vector<float> const& predictions,
                    MetaInfo const& info) {
  return MakeMetric(name, params)->Evaluate(Context{}, predictions, info);
}

/// Returns whole labels below n_degrees.
std::vector<float> Degrees(std::size_t n, float n_degrees, std::uint32_t seed) {
  auto values = RandomValues(n, 0.0F, n_degrees, seed);
  for (auto& value : values) value = std::floor(value * 0.9999F);
  return values;
}

TEST(RankMetric, AgainstTheirDefinitions) {
  std::vector<std::int64_t> const sizes{1, 2, 0, 33, 5, 257, 1, 1500, 64};
  auto const n = static_cast<std::size_t>(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}));
  for (float levels : {3.0F, 1e6F}) {
    auto predictions = RandomValues(n, -1.0F, 1.0F, 1);
    for (auto& value : predictions) value = std::round(value * levels) / levels;
    for (auto const& weights : {std::vector<float>(), RandomValues(sizes.size(), 0.5F, 2.0F, 3)}) {
      auto const degrees = Grouped(MakeInfo(Degrees(n, 5.0F, 2), weights), sizes);
      auto const binary = Grouped(MakeInfo(Degrees(n, 2.0F, 4), weights), sizes);
      for (std::size_t top : {std::size_t{1}, std::size_t{3}, std::size_t{1000000}, kDefaultTop}) {
        auto const at = top == kDefaultTop ? "" : "@" + std::to_string(top);
        EXPECT_NEAR(Evaluate("ndcg" + at, predictions, degrees), Naive("ndcg", top, predictions, degrees), 1e-13);
        EXPECT_NEAR(EvaluateWith({{"ndcg_exp_gain", "0"}}, "ndcg" + at, predictions, degrees),
                    Naive("gain", top, predictions, degrees), 1e-13);
        EXPECT_NEAR(Evaluate("map" + at, predictions, binary), Naive("map", top, predictions, binary), 1e-13);
        EXPECT_NEAR(Evaluate("pre" + at, predictions, binary), Naive("pre", top, predictions, binary), 1e-13);
      }
    }
  }
}

TEST(RankMetric, WorkedExample) {
  // Sorted by prediction, the labels are 0 2 1 0 | 1 0.
  std::vector<float> const predictions{3, 9, 1, 5, 2, 1};
  auto const info = Grouped(MakeInfo({1, 0, 0, 2, 1, 0}), {4, 2});
  double const log3 = std::log2(3.0);
  EXPECT_NEAR(Evaluate("ndcg", predictions, info), ((3 / log3 + 0.5) / (3 + 1 / log3) + 1) / 2, 1e-15);
  EXPECT_NEAR(Evaluate("ndcg@1", predictions, info), (0.0 + 1.0) / 2, 1e-15);
  EXPECT_NEAR(EvaluateWith({{"ndcg_exp_gain", "false"}}, "ndcg", predictions, info),
              ((2 / log3 + 0.5) / (2 + 1 / log3) + 1) / 2, 1e-15);
  auto binary = info;
  binary.labels[3] = 1.0F;
  EXPECT_NEAR(Evaluate("map", predictions, binary), ((1.0 / 2 + 2.0 / 3) / 2 + 1) / 2, 1e-15);
  EXPECT_NEAR(Evaluate("map@2", predictions, binary), ((1.0 / 2) / 2 + 1) / 2, 1e-15);
  EXPECT_NEAR(Evaluate("pre", predictions, binary), (2.0 / 4 + 1.0 / 2) / 2, 1e-15);
  EXPECT_NEAR(Evaluate("pre@1", predictions, binary), (0.0 + 1.0) / 2, 1e-15);
  binary.weights = {3, 1};
  EXPECT_NEAR(Evaluate("pre@1", predictions, binary), 1.0 / 4, 1e-15);
}

TEST(RankMetric, TiesKeepTheirOrderInTheData) {
  EXPECT_EQ(Evaluate("pre@1", {5, 5}, MakeInfo({1, 0})), 1.0);
  EXPECT_EQ(Evaluate("pre@1", {5, 5}, MakeInfo({0, 1})), 0.0);
  EXPECT_EQ(Evaluate("pre@1", {-0.0F, 0.0F}, MakeInfo({1, 0})), 1.0);
}

TEST(RankMetric, AsXGBoostPrintsThem) {
  auto const predictions = Values(200, [](int i) { return static_cast<float>(i * 37 % 23) / 23.0F; });
  auto const degrees = Values(200, [](int i) { return static_cast<float>(i * 53 % 7 % 5); });
  auto const binary = Values(200, [](int i) { return i * 53 % 7 < 2 ? 1.0F : 0.0F; });
  std::vector<std::int64_t> const sizes{50, 3, 1, 46, 70, 30};
  std::vector<float> const weights{1, 2, 0.5F, 0.25F, 3, 4};
  struct Printed {
    char const* metric;
    double one_group;
    double plain;
    double weighted;
  };
  for (auto const& row : std::vector<Printed>{
           {"ndcg", 0.29827804625504534, 0.63299526185987620, 0.58916402084230279},
           {"ndcg@5", 0.34601940573513351, 0.48898602885430037, 0.37252296969489856},
           {"ndcg@5-", 0.34601940573513351, 0.48898602885430037, 0.37252296969489856},
           {"map", 0.06211665489682731, 0.36444071977687392, 0.29579594938869275},
           {"map@5", 0.0, 0.31277777777777777, 0.26015503875968987},
           {"map@5-", 0.0, 0.14611111111111111, 0.21364341085271316},
           {"pre", 0.25, 0.24618055555555554, 0.28265503875968989},
           {"pre@5", 0.0, 0.18888888888888888, 0.28527131782945736},
       }) {
    auto const& labels = row.metric[0] == 'n' ? degrees : binary;
    EXPECT_NEAR(Evaluate(row.metric, predictions, MakeInfo(labels)), row.one_group, 1e-14) << row.metric;
    EXPECT_NEAR(Evaluate(row.metric, predictions, Grouped(MakeInfo(labels), sizes)), row.plain, 1e-14) << row.metric;
    EXPECT_NEAR(Evaluate(row.metric, predictions, Grouped(MakeInfo(labels, weights), sizes)), row.weighted, 1e-14)
        << row.metric;
  }
}

TEST(RankMetric, GroupsWithoutRelevantRows) {
  auto const info = Grouped(MakeInfo({1, 0, 0, 0}), {2, 0, 2});
  for (auto const* name : {"ndcg", "map"}) {
    EXPECT_EQ(Evaluate(name, {2, 1, 1, 2}, info), 1.0);
    EXPECT_EQ(Evaluate(std::string(name) + "-", {2, 1, 1, 2}, info), 1.0 / 3);
    EXPECT_EQ(Evaluate(std::string(name) + "@5-", {2, 1, 1, 2}, info), 1.0 / 3);
    EXPECT_EQ(Evaluate(name, {}, MakeInfo({})), 1.0);
  }
  EXPECT_EQ(Evaluate("pre@1", {2, 1, 1, 2}, info), 1.0 / 3);
  EXPECT_EQ(Evaluate("pre", {}, MakeInfo({})), 0.0);
  // These groups have no weight in ndcg, so the mean is capped.
  EXPECT_EQ(Evaluate("ndcg", {2, 1, 1, 2}, Grouped(MakeInfo({1, 0, 0, 0}, {0.5F, 0.5F}), {2, 2})), 1.0);
  EXPECT_EQ(Evaluate("map", {1, 2, 1, 2}, Grouped(MakeInfo({1, 0, 0, 0}, {3, 1}), {2, 2})), (0.5 * 3 + 1) / 4);
  EXPECT_EQ(Evaluate("map", {1, 2}, MakeInfo({1, 0}, {0})), 0.0);
}

TEST(RankMetric, LargestRelevance) {
  double const log3 = std::log2(3.0);
  auto const gain = std::pow(2.0, 31) - 1.0;
  EXPECT_NEAR(Evaluate("ndcg", {1, 2}, MakeInfo({31, 30})),
              (gain / log3 + (gain - 1) / 2) / (gain + (gain - 1) / 2 / log3), 1e-14);
  EXPECT_EQ(EvaluateWith({{"ndcg_exp_gain", "0"}}, "ndcg", {1, 2}, MakeInfo({1e6F, 2e6F})), 1.0);
  EXPECT_EQ(EvaluateWith({{"ndcg_exp_gain", "0"}}, "ndcg", {1, 2}, MakeInfo({-1, -2})), 1.0);
}

TEST(RankMetric, NaNPredictionsGiveNaN) {
  auto const nan = std::numeric_limits<float>::quiet_NaN();
  for (auto const* name : {"ndcg", "ndcg@1", "map@1-", "pre@1"}) {
    EXPECT_TRUE(std::isnan(Evaluate(name, {nan, 2, 1}, MakeInfo({0, 1, 1})))) << name;
    EXPECT_TRUE(std::isnan(Evaluate(name, {3, 2, -nan}, MakeInfo({0, 0, 0})))) << name;
  }
}

TEST(RankMetric, Names) {
  std::map<std::string, std::string> const names{
      {"ndcg", "ndcg"},   {"ndcg@3", "ndcg@3"}, {"ndcg@03", "ndcg@3"}, {"ndcg@32", "ndcg@32"}, {"ndcg@3-", "ndcg@3-"},
      {"ndcg-", "ndcg-"}, {"ndcg@-", "ndcg-"},  {"map@10", "map@10"},  {"map-@10", "map@10-"}, {"pre@1", "pre@1"}};
  for (auto const& [given, printed] : names) {
    auto const metric = MakeMetric(given);
    EXPECT_EQ(metric->Name(), printed);
    EXPECT_TRUE(metric->HigherIsBetter());
  }
  EXPECT_EQ(MakeMetric("ndcg@3-")->Argument(), "3-");
  EXPECT_EQ(MakeMetric("ndcg")->Argument(), "");
}

TEST(RankMetric, BadArguments) {
  for (auto const* name :
       {"ndcg@0", "ndcg@abc", "ndcg@3x", "map@3.5", "pre@-1", "ndcg@3--", "ndcg@99999999999999999999"}) {
    ExpectParts(MessageOf(ErrorKind::kParameter, [&] { MakeMetric(name); }), {name, "@10"});
  }
}

TEST(RankMetric, BadLabels) {
  auto const refuses = [](std::string const& name, std::vector<float> labels, std::vector<std::string> const& parts) {
    ExpectParts(MessageOf(ErrorKind::kData, [&] { Evaluate(name, {1, 2, 3}, MakeInfo(std::move(labels))); }), parts);
  };
  refuses("ndcg@2", {0, 32, 1}, {"ndcg@2: label 32 of row 1", "0 to 31", "ndcg_exp_gain=0"});
  refuses("ndcg", {0, 0.5F, 1}, {"ndcg: label 0.5 of row 1", "whole number"});
  refuses("ndcg", {-1, 0, 1}, {"ndcg: label -1 of row 0"});
  refuses("map", {0, 1, 2}, {"map: label 2 of row 2", "not 0 or 1"});
  refuses("pre@1", {0.5F, 1, 0}, {"pre@1: label 0.5 of row 0"});
}

TEST(RankMetric, WrongSizes) {
  auto const info = Grouped(MakeInfo({0, 1, 1}, {1, 1, 1}), {1, 2});
  auto const refuses = [](std::vector<float> const& predictions, MetaInfo const& meta,
                          std::vector<std::string> const& parts) {
    ExpectParts(MessageOf(ErrorKind::kData, [&] { Evaluate("ndcg", predictions, meta); }), parts);
  };
  refuses({1, 2, 3}, info, {"ndcg: 3 weights for 2 query groups"});
  refuses({1, 2, 3}, MakeInfo({0, 1, 1}, {1, 1, 1}), {"3 weights for 1 query group", "none are given"});
  refuses({1, 2}, info, {"2 predictions for 3 rows"});
  refuses({1, 2, 3, 4, 5, 6}, MakeInfo({0, 1, 1}), {"2 predictions and 1 labels per row"});
}

TEST(RankMetric, SameBitsForAnyThreadCount) {
  std::size_t const n = 100003;
  auto const predictions = RandomValues(n, -5.0F, 5.0F, 1);
  auto const one = MakeInfo(Degrees(n, 2.0F, 2));
  auto many = MakeInfo(one.labels, RandomValues(10001, 0.0F, 1.0F, 3));
  for (std::int64_t row = 0; row <= 100000; row += 10) many.group_ptr.push_back(row);
  many.group_ptr.push_back(static_cast<std::int64_t>(n));
  for (auto const* name : {"ndcg", "map", "pre", "ndcg@3"}) {
    EXPECT_EQ(Evaluate(name, predictions, one, 1), Evaluate(name, predictions, one, 8)) << name;
    EXPECT_EQ(Evaluate(name, predictions, many, 1), Evaluate(name, predictions, many, 8)) << name;
  }
}

TEST(LaneSum, OrderOfAdditions) {
  // 2^53 + 1 rounds to 2^53, so the two ones are only added first if they share a lane.
  auto const sum = [](std::vector<double> const& values) {
    return SumInLanes<double>(static_cast<std::int64_t>(values.size()), [&](std::int64_t i) { return values[i]; });
  };
  EXPECT_EQ(sum({0x1p53, 1, 1}), 0x1p53);
  EXPECT_EQ(sum({0x1p53, 1, 0, 0, 0, 0, 0, 0, 0, 1}), 0x1p53 + 2);
  std::vector<double> blocks(kRowBlock + 10, 0.0);
  blocks[0] = 0x1p53;
  blocks[kRowBlock] = 1;
  blocks[kRowBlock + 9] = 1;
  EXPECT_EQ(sum(blocks), 0x1p53 + 2);
  EXPECT_EQ(sum({}), 0.0);
}

}  // namespace
}  // namespace kauri
