/// KauriSummarizeColumns and KauriSummarizeBatches: results and refusals.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "c_api/batches.h"
#include "c_api/support.h"

namespace kauri::testing {
namespace {

struct Summary {
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  double const* result = nullptr;

  int Of(DMatrixHandle handle, char const* config) {
    return KauriSummarizeColumns(handle, config, &shape, &dim, &result);
  }
};

std::string Refused(int status) {
  EXPECT_EQ(status, -1);
  return XGBGetLastError();
}

void ExpectWords(std::string const& message, std::vector<std::string> const& words) {
  for (auto const& word : words) EXPECT_NE(message.find(word), std::string::npos) << word << " not in " << message;
}

TEST(SummaryCalls, CountMeanAndQuantilesByHand) {
  auto const data = MakeData({1, 10, 2, 20, 3, 30, 4, 40}, 2);
  Summary summary;
  ASSERT_OK(summary.Of(data.get(), R"({"quantiles": [0.5, 1]})"));
  ASSERT_EQ(summary.dim, 2U);
  EXPECT_EQ(summary.shape[0], 2U);
  EXPECT_EQ(summary.shape[1], 12U);
  std::vector<double> const second(summary.result + 12, summary.result + 24);
  EXPECT_EQ(second[0], 4.0);   // count
  EXPECT_EQ(second[2], 4.0);   // distinct
  EXPECT_EQ(second[5], 25.0);  // mean
  EXPECT_EQ(second[10], 20.0);
  EXPECT_EQ(second[11], 40.0);
  ASSERT_OK(summary.Of(data.get(), "{}"));
  EXPECT_EQ(summary.shape[1], 17U);
}

TEST(SummaryCalls, WeightsOfTheMatrixCount) {
  auto const data = MakeData({1, 2, 3}, 1);
  std::vector<float> const weights{0, 1, 3};
  ASSERT_OK(XGDMatrixSetFloatInfo(data.get(), "weight", weights.data(), 3));
  Summary summary;
  ASSERT_OK(summary.Of(data.get(), R"({"quantiles": [0.5]})"));
  EXPECT_EQ(summary.result[0], 2.0);
  EXPECT_EQ(summary.result[5], 2.75);
  EXPECT_EQ(summary.result[10], 3.0);
}

TEST(SummaryCalls, BatchesAreTheMatrix) {
  auto const values = Features(40, 3);
  auto const give = [&](DMatrixHandle proxy) {
    EXPECT_OK(XGProxyDMatrixSetDataDense(proxy, Table(values, 3).c_str()));
  };
  Batches batches({give, give});
  Summary summary;
  char const* const config = R"({"missing": NaN, "sketch": "moments", "quantiles": [0.5]})";
  ASSERT_OK(batches.Summarize(config, &summary.shape, &summary.dim, &summary.result));
  std::vector<double> const found(summary.result, summary.result + 33);
  auto twice = values;
  twice.insert(twice.end(), values.begin(), values.end());
  auto const data = MakeData(twice, 3);
  ASSERT_OK(summary.Of(data.get(), config));
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], summary.result[i]) << i;
}

TEST(SummaryCalls, Refusals) {
  auto const data = MakeData({1, 2, 3}, 1);
  Summary summary;
  auto const refused = [&](char const* config) { return Refused(summary.Of(data.get(), config)); };
  ExpectWords(refused(nullptr), {"'config'", "null"});
  ExpectWords(refused(R"({"quantiles": 0.5})"), {"quantiles", "a list of numbers"});
  ExpectWords(refused(R"({"quantiles": [0.5, "x"]})"), {"quantiles", "a list of numbers"});
  ExpectWords(refused(R"({"quantiles": [NaN]})"), {"quantiles"});
  ExpectWords(refused(R"({"quantiles": [0.5, 0.1]})"), {"0.1 after 0.5"});
  ExpectWords(refused(R"({"sketch": "reservoir"})"), {"'reservoir'", "exact, gk, kll or moments"});
  ExpectWords(refused(R"({"sketch": "moments", "sketch_density": "flat"})"), {"'flat'", "max_entropy"});
  ExpectWords(refused(R"({"sketch": "moments", "sketch_order": 99})"), {"sketch_order=99", "2 to 15"});
  ExpectWords(refused(R"({"sketch": "moments", "sketch_order": 16})"), {"sketch_order=16"});
  ExpectWords(refused(R"({"sketch": "kll", "sketch_size": -4})"), {"sketch_size", "-4"});
  ExpectWords(refused(R"({"sketch": "kll", "sketch_size": 1})"), {"sketch_size=1"});
  ExpectWords(Refused(KauriSummarizeColumns(data.get(), "{}", nullptr, &summary.dim, &summary.result)), {"out_shape"});
  ExpectWords(Refused(summary.Of(nullptr, "{}")), {"handle is null"});
  DMatrixHandle bins = nullptr;
  ASSERT_OK(KauriDMatrixBins(data.get(), "{}", &bins));
  ExpectWords(Refused(summary.Of(bins, "{}")), {"a summary of columns", "bins"});
  XGDMatrixFree(bins);
  Batches none({});
  ExpectWords(Refused(none.Summarize(R"({"missing": NaN})", &summary.shape, &summary.dim, &summary.result)),
              {"there are no rows"});
}

}  // namespace
}  // namespace kauri::testing
