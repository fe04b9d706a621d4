#include "data/summary/column_summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "data/matrix_view.h"
#include "data/summary/sketched_summary.h"
#include "kauri/error.h"

namespace kauri {
namespace {

using namespace testing;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Computes the statistics from the definitions, in long double and two passes. column: present values with weights.
std::vector<double> Reference(std::vector<std::pair<float, double>> column, std::vector<double> const& shares) {
  std::sort(column.begin(), column.end());
  long double total = 0.0L;
  long double mean = 0.0L;
  for (auto const& [value, weight] : column) {
    total += weight;
    mean += static_cast<long double>(weight) * value;
  }
  mean /= total;
  std::vector<long double> moments(5, 0.0L);
  for (auto const& [value, weight] : column) {
    for (int k = 2; k <= 4; ++k) moments[static_cast<std::size_t>(k)] += weight * std::pow(value - mean, k) / total;
  }
  std::vector<double> expected{static_cast<double>(mean), static_cast<double>(std::sqrt(moments[2])),
                               static_cast<double>(moments[3] / std::pow(moments[2], 1.5L)),
                               static_cast<double>(moments[4] / (moments[2] * moments[2]) - 3.0L)};
  for (auto const share : shares) {
    auto below = 0.0;
    for (auto const& [value, weight] : column) {
      below += weight;
      if (below < share * static_cast<double>(total)) continue;
      expected.push_back(value);
      break;
    }
  }
  return expected;
}

TEST(ColumnSummary, IsThatOfTheDefinitions) {
  MatrixSpec spec;
  spec.n_rows = 9001;
  spec.n_cols = 3;
  spec.missing = 0.2;
  auto const values = MakeValues(spec);
  Random random(2);
  std::vector<float> weights;
  for (std::int64_t row = 0; row < spec.n_rows; ++row) weights.push_back(static_cast<float>(random.Below(4)));
  auto const options = Options();
  auto const table = SummaryOf(*MakeMatrix(values, 3, false), weights, options);
  ASSERT_EQ(table.size(), 3U * (SummaryFields().size() + 3U));
  for (std::size_t feature = 0; feature < 3; ++feature) {
    std::vector<std::pair<float, double>> column;
    auto n_rows = 0.0;
    for (std::size_t row = 0; row < weights.size(); ++row) {
      if (weights[row] <= 0.0F) continue;
      n_rows += 1.0;
      auto const value = values[row * 3 + feature];
      if (!std::isnan(value)) column.emplace_back(value, weights[row]);
    }
    auto const* const fields = table.data() + feature * (kQuantiles + 3);
    auto const expected = Reference(column, options.quantiles);
    EXPECT_EQ(fields[kCount], static_cast<double>(column.size()));
    EXPECT_EQ(fields[kMissing], n_rows - static_cast<double>(column.size()));
    EXPECT_TRUE(std::isnan(fields[kDistinct]));
    EXPECT_EQ(fields[kMin], std::min_element(column.begin(), column.end())->first);
    EXPECT_EQ(fields[kMax], std::max_element(column.begin(), column.end())->first);
    for (int k = 0; k < 4; ++k) EXPECT_NEAR(fields[kMean + k], expected[static_cast<std::size_t>(k)], 1e-11) << k;
    EXPECT_EQ(fields[kRankError], 0.0);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(fields[kQuantiles + k], expected[4 + k]) << k;
  }
}

TEST(ColumnSummary, BatchesThreadsAndStorageDoNotMatter) {
  for (auto const& sketch : {SketchChoice(), SketchChoice(std::make_shared<GkMethod>())}) {
    CheckBatchesThreadsAndStorage(sketch);
  }
}

TEST(ColumnSummary, SketchesAreNearAndSayHowFar) { CheckQuantilesAndBound(std::make_shared<GkMethod>()); }

TEST(ColumnSummary, Edges) {
  // all missing; one value; a constant; two values; a column whose only value has no weight
  std::vector<float> const values{kNan, 4.0F, 7.0F, 0.0F, kNan, kNan, kNan, 7.0F,
                                  1.0F, kNan, kNan, kNan, 7.0F, 0.0F, 3.0F};
  auto const data = MakeMatrix(values, 5, false);
  auto const width = static_cast<std::size_t>(kQuantiles + 1);
  auto const table = SummaryOf(*data, {1.0F, 1.0F, 0.0F}, Options({}, {0.5}));
  auto const field = [&](std::size_t column, std::size_t which) { return table[column * width + which]; };
  EXPECT_EQ(field(0, kCount), 0.0);
  EXPECT_EQ(field(0, kMissing), 2.0);
  EXPECT_EQ(field(0, kDistinct), 0.0);
  for (std::size_t which = kMin; which < width; ++which) EXPECT_TRUE(std::isnan(field(0, which))) << which;
  EXPECT_EQ(field(1, kCount), 1.0);
  EXPECT_EQ(field(1, kStd), 0.0);
  EXPECT_TRUE(std::isnan(field(1, kSkewness)));
  EXPECT_EQ(field(2, kMean), 7.0);
  EXPECT_EQ(field(2, kDistinct), 1.0);
  EXPECT_EQ(field(2, kQuantiles), 7.0);
  EXPECT_EQ(field(3, kMean), 0.5);
  EXPECT_EQ(field(3, kStd), 0.5);
  EXPECT_EQ(field(3, kKurtosis), -2.0);
  EXPECT_EQ(field(4, kCount), 0.0);
  EXPECT_EQ(field(4, kMissing), 2.0);
}

TEST(ColumnSummary, HugeAndTinyValues) {
  Random random(1);
  for (auto const scale : {1e37F, 1e-38F}) {
    std::vector<float> values;
    for (int i = 0; i < 5000; ++i) values.push_back(scale * random.Normal());
    auto const fields = SummaryOf(*MakeMatrix(values, 1, false), {}, Options());
    EXPECT_NEAR(fields[kStd] / scale, 1.0, 0.03);
    EXPECT_NEAR(fields[kKurtosis], 0.0, 0.3);
  }
}

TEST(ColumnSummary, Refusals) {
  auto const message = [](auto&& call) {
    try {
      call();
    } catch (Error const& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  auto const has = [](std::string const& text, std::string const& part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " not in " << text;
  };
  has(message([] { ColumnSummaries{Options({}, {0.5, 0.25})}; }), "quantiles has 0.25 after 0.5");
  has(message([] { ColumnSummaries{Options({}, {1.5})}; }), "from 0 to 1");
  ColumnSummaries summaries{Options()};
  has(message([&] { summaries.Finish({}); }), "there are no rows");
  auto const data = MakeMatrix({1.0F, 2.0F}, 1, false);
  has(message([&] { summaries.Add({}, *data->View(), std::vector<float>{1.0F}); }), "1 weights for 2 rows");
  has(message([&] { summaries.Add({}, *data->View(), std::vector<float>{1.0F, -1.0F}); }), "weight of row 1 is -1");
  summaries.Add({}, *data->View(), {});
  auto const wide = MakeMatrix({1.0F, 2.0F}, 2, false);
  has(message([&] { summaries.Add({}, *wide->View(), {}); }), "2 columns");
}

}  // namespace
}  // namespace kauri
