/// auc and aucpr of query groups, and the weights of groups.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "metric/area_curves.h"
#include "metric_fixture.h"

namespace kauri {
namespace {

float const kNaN = std::numeric_limits<float>::quiet_NaN();

/// Returns the share of pairs whose predictions are in the order of their labels (or rows, if labels are equal); ties
/// count half.
double NaiveAuc(float const* predictions, float const* labels, std::int64_t n) {
  double won = 0.0;
  for (std::int64_t a = 0; a < n; ++a) {
    for (std::int64_t b = a + 1; b < n; ++b) {
      auto const better = predictions[labels[a] >= labels[b] ? a : b];
      auto const worse = predictions[labels[a] >= labels[b] ? b : a];
      won += better > worse ? 1.0 : better == worse ? 0.5 : 0.0;
    }
  }
  return won / static_cast<double>(n * (n - 1) / 2);
}

struct Example {
  std::vector<float> predictions = Values(200, [](int i) { return static_cast<float>(i * 37 % 23) / 23.0F; });
  std::vector<float> degrees = Values(200, [](int i) { return static_cast<float>(i * 53 % 7 % 5); });
  std::vector<float> binary = Values(200, [](int i) { return i * 53 % 7 < 2 ? 1.0F : 0.0F; });
  std::vector<float> fractional = Values(200, [](int i) { return static_cast<float>(i * 31 % 17) / 16.0F; });
  std::vector<std::int64_t> sizes{50, 3, 1, 46, 70, 30};
  std::vector<float> weights{1, 2, 0.5F, 0.25F, 0, 4};
};

TEST(GroupArea, AsXGBoostPrintsThem) {
  Example const example;
  auto const& [predictions, degrees, binary, fractional, sizes, weights] = example;
  struct Printed {
    char const* metric;
    std::vector<float> labels;
    double plain;
    double weighted;
  };
  for (auto const& row : std::vector<Printed>{
           {"auc", degrees, 0.47636702737066844, 0.37690532964810114},
           {"auc", binary, 0.37734916215361708, 0.27681085987618437},
           {"aucpr", binary, 0.26358882660743632, 0.23250467827208193},
           {"aucpr", fractional, 0.58876371126255789, 0.61117526764406516},
       }) {
    EXPECT_NEAR(Evaluate(row.metric, predictions, Grouped(MakeInfo(row.labels), sizes)), row.plain, 1e-13);
    EXPECT_NEAR(Evaluate(row.metric, predictions, Grouped(MakeInfo(row.labels, weights), sizes)), row.weighted, 1e-13);
  }
}

TEST(GroupArea, RocAgainstItsDefinition) {
  std::vector<std::int64_t> const sizes{3, 257, 2, 31, 0, 1025, 4, 1};
  std::size_t const n = 1323;
  for (float levels : {3.0F, 1e6F}) {
    auto predictions = RandomValues(n, -1.0F, 1.0F, 1);
    for (auto& value : predictions) value = std::round(value * levels) / levels;
    auto labels = RandomValues(n, -2.0F, 3.0F, 2);
    for (auto& value : labels) value = std::round(value);
    auto const info = Grouped(MakeInfo(labels), sizes);
    double sum = 0.0;
    for (std::size_t group = 0; group < sizes.size(); ++group) {
      auto const begin = info.group_ptr[group];
      if (sizes[group] >= 3) sum += NaiveAuc(predictions.data() + begin, labels.data() + begin, sizes[group]);
    }
    EXPECT_NEAR(Evaluate("auc", predictions, info), sum / 5.0, 1e-13);
  }
}

TEST(GroupArea, PrecisionRecallIsTheMeanOverGroups) {
  auto const predictions = RandomValues(300, 0.0F, 1.0F, 1);
  auto labels = RandomValues(300, 0.0F, 1.0F, 2);
  for (auto& value : labels) value = std::round(value);
  auto const of_rows = [&](std::size_t begin, std::size_t end) {
    auto const from = static_cast<std::ptrdiff_t>(begin);
    auto const to = static_cast<std::ptrdiff_t>(end);
    return Evaluate("aucpr", {predictions.begin() + from, predictions.begin() + to},
                    MakeInfo({labels.begin() + from, labels.begin() + to}));
  };
  EXPECT_NEAR(Evaluate("aucpr", predictions, Grouped(MakeInfo(labels), {100, 180, 20})),
              (of_rows(0, 100) + of_rows(100, 280) + of_rows(280, 300)) / 3, 1e-15);
}

TEST(GroupArea, WorkedExample) {
  // Pairs by their predictions: (9 5) won, (9 5) won, and (5 5), with equal labels, tied.
  EXPECT_EQ(Evaluate("auc", {5, 9, 5}, Grouped(MakeInfo({0, 1, 0}), {3})), 2.5 / 3);
  EXPECT_EQ(Evaluate("auc", {1, 2, 3}, Grouped(MakeInfo({0, 0, 0}), {3})), 0.0);
  EXPECT_EQ(Evaluate("auc", {3, 2, 1}, Grouped(MakeInfo({0, 0, 0}), {3})), 1.0);
  EXPECT_EQ(Evaluate("aucpr", {3, 2, 1}, Grouped(MakeInfo({1, 0, 0}), {3})), 1.0);
}

TEST(GroupArea, GroupsThatDoNotCount) {
  std::vector<float> const predictions{1, 2, 3, 1, 2, 3};
  auto const info = Grouped(MakeInfo({0, 0, 1, 1, 0, 0}), {3, 3});
  EXPECT_EQ(Evaluate("auc", predictions, info), (2.0 / 3 + 0.0) / 2);
  // A group of at most two rows never counts; a group without weight counts as 0 in auc and is left out of aucpr.
  EXPECT_EQ(Evaluate("auc", {1, 2, 3, 1, 2}, Grouped(MakeInfo({0, 0, 1, 1, 0}), {3, 2, 0})), 2.0 / 3);
  EXPECT_EQ(Evaluate("auc", predictions, Grouped(MakeInfo(info.labels, {1, 0}), {3, 3})), 1.0 / 3);
  EXPECT_EQ(Evaluate("aucpr", predictions, Grouped(MakeInfo(info.labels, {5, 0}), {3, 3})), 1.0);
  EXPECT_EQ(Evaluate("aucpr", predictions, Grouped(MakeInfo({0, 0, 1, 1, 1, 1}), {3, 3})), 1.0);
  EXPECT_TRUE(std::isnan(Evaluate("auc", {1, 2}, Grouped(MakeInfo({0, 1}), {2}))));
  EXPECT_TRUE(std::isnan(Evaluate("aucpr", {1, 2}, Grouped(MakeInfo({0, 0}), {2}))));
}

TEST(GroupArea, NaNPredictionsGiveNaN) {
  for (auto const* name : {"auc", "aucpr"}) {
    EXPECT_TRUE(std::isnan(Evaluate(name, {1, 2, 3, kNaN, 2, 3}, Grouped(MakeInfo({0, 0, 1, 1, 0, 0}), {3, 3}))));
  }
}

TEST(GroupArea, WhatIsRefused) {
  ExpectParts(MessageOf(ErrorKind::kData,
                        [] {
                          Evaluate("auc", {1, 2, 3}, Grouped(MakeInfo({0, 0, 1}, {1, 2, 3}), {1, 2}));
                        }),
              {"auc", "3 weights for 2 query groups"});
  ExpectParts(MessageOf(ErrorKind::kData,
                        [] {
                          Evaluate("aucpr", {1, 2, 3}, Grouped(MakeInfo({0, 2, 1}), {1, 2}));
                        }),
              {"aucpr", "label 2 of row 1", "[0, 1]"});
  ExpectParts(MessageOf(ErrorKind::kData,
                        [] {
                          Evaluate("auc", {1, 2, 3, 4}, Grouped(MakeInfo({0, 1}), {1, 1}));
                        }),
              {"auc", "2 predictions"});
}

TEST(GroupArea, SameBitsForAnyThreadCount) {
  std::size_t const n = 50000;
  auto info = MakeInfo(Values(50000, [](int i) { return i * 53 % 7 < 2 ? 1.0F : 0.0F; }));
  for (std::int64_t row = 0; row <= 50000; row += 50) info.group_ptr.push_back(row);
  auto const predictions = RandomValues(n, -5.0F, 5.0F, 1);
  for (auto const* name : {"auc", "aucpr"}) {
    EXPECT_EQ(Evaluate(name, predictions, info, 1), Evaluate(name, predictions, info, 8)) << name;
  }
}

TEST(WeightUnits, PowersOfTwoThatNeverOverflow) {
  for (float largest : {1e-38F, 0.7F, 1.0F, 3e38F}) {
    for (std::int64_t n : {std::int64_t{1}, std::int64_t{1000}, std::int64_t{1} << 40}) {
      auto const units = UnitsPerWeight(largest, n);
      EXPECT_EQ(std::exp2(std::round(std::log2(units))), units);
      auto const sum = static_cast<double>(WeightInUnits(largest, units)) * static_cast<double>(n);
      EXPECT_LT(sum, 0x1p62);
      EXPECT_GT(sum, 0x1p58);
    }
  }
  EXPECT_EQ(WeightInUnits(1e-30F, UnitsPerWeight(1.0F, 10)), 1);
  EXPECT_EQ(WeightInUnits(0.0F, UnitsPerWeight(1.0F, 10)), 0);
  EXPECT_EQ(UnitsPerWeight(0.0F, 10), 1.0);
}

}  // namespace
}  // namespace kauri
