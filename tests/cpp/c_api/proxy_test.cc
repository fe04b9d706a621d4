/// Proxies: row counts, and row information that is set before or after the rows.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "c_api/batches.h"
#include "c_api/support.h"

namespace kauri::testing {
namespace {

class Proxy : public ::testing::Test {
 protected:
  Proxy() {
    DMatrixHandle handle = nullptr;
    EXPECT_OK(XGProxyDMatrixCreate(&handle));
    proxy_.reset(handle);
  }

  std::vector<bst_ulong> Counts() const {
    std::vector<bst_ulong> counts(3, 99);
    EXPECT_OK(XGDMatrixNumRow(proxy_.get(), &counts[0]));
    EXPECT_OK(XGDMatrixNumCol(proxy_.get(), &counts[1]));
    EXPECT_OK(XGDMatrixNumNonMissing(proxy_.get(), &counts[2]));
    return counts;
  }
  std::vector<float> Margins() const {
    bst_ulong length = 0;
    float const* values = nullptr;
    EXPECT_OK(XGDMatrixGetFloatInfo(proxy_.get(), "base_margin", &length, &values));
    return {values, values + length};
  }
  int Set(char const* field, std::vector<float> const& values) const {
    return XGDMatrixSetInfoFromInterface(proxy_.get(), field, Vector(values).c_str());
  }
  int SetRows(std::vector<float> const& values) const {
    return XGProxyDMatrixSetDataDense(proxy_.get(), Table(values, 2).c_str());
  }

  Data proxy_;
};

using Counted = std::vector<bst_ulong>;
using Floats = std::vector<float>;

TEST_F(Proxy, CountsWhatItHolds) {
  EXPECT_EQ(Counts(), (Counted{0, 0, 0}));
  Floats const six{1, 2, 3, 4, 5, 6};
  ASSERT_OK(SetRows(six));
  EXPECT_EQ(Counts(), (Counted{3, 2, 0}));
  std::vector<std::int64_t> const indptr{0, 1};
  std::vector<std::int32_t> const indices{4};
  ASSERT_OK(XGProxyDMatrixSetDataCSR(proxy_.get(), Interface(indptr, "<i8", "[2]").c_str(),
                                     Interface(indices, "<i4", "[1]").c_str(), Vector({7}).c_str(), 5));
  EXPECT_EQ(Counts(), (Counted{1, 5, 0}));
  EXPECT_NE(XGProxyDMatrixSetDataDense(proxy_.get(), "no array"), 0);
  EXPECT_EQ(Counts(), (Counted{1, 5, 0}));
}

TEST_F(Proxy, KeepsWhatIsSaidBeforeTheRows) {
  ASSERT_OK(Set("base_margin", {1, 2, 3}));
  ASSERT_OK(Set("label", {4, 5, 6}));
  EXPECT_EQ(Counts(), (Counted{0, 0, 0}));
  Floats const six{1, 2, 3, 4, 5, 6};
  ASSERT_OK(SetRows(six));
  EXPECT_EQ(Margins(), (Floats{1, 2, 3}));
  EXPECT_NE(Set("label", {1, 2}), 0) << "the rows are known now";
  Floats const two{1, 2};
  ASSERT_OK(SetRows(two));
  EXPECT_EQ(Margins(), Floats()) << "that was said of the rows before";
}

TEST(ProxyBatches, TakeWhatIsSaidBeforeOrAfterTheRows) {
  Floats const six{1, 2, 3, 4, 5, 6};
  Floats const four{1, 2, 3, 4};
  auto const label = [](DMatrixHandle proxy, Floats const& labels) {
    EXPECT_OK(XGDMatrixSetInfoFromInterface(proxy, "label", Vector(labels).c_str()));
  };
  auto const rows = [](DMatrixHandle proxy, Floats const& values) {
    EXPECT_OK(XGProxyDMatrixSetDataDense(proxy, Table(values, 2).c_str()));
  };
  Floats second_labels{4};
  Batches batches({[&](DMatrixHandle proxy) {
                     label(proxy, {1, 2, 3});
                     rows(proxy, six);
                   },
                   [&](DMatrixHandle proxy) {
                     label(proxy, second_labels);
                     rows(proxy, four);
                   }});
  DMatrixHandle handle = nullptr;
  for (auto const read : {false, true}) {
    second_labels = {4};
    EXPECT_NE(read ? batches.Read(&handle) : batches.ReadBins(nullptr, &handle), 0);
    EXPECT_NE(std::string(XGBGetLastError()).find("label has 1 values; expected 2"), std::string::npos);
    second_labels = {4, 5};
    ASSERT_OK(read ? batches.Read(&handle) : batches.ReadBins(nullptr, &handle));
    Data const data(handle);
    bst_ulong length = 0;
    float const* labels = nullptr;
    EXPECT_OK(XGDMatrixGetFloatInfo(handle, "label", &length, &labels));
    EXPECT_EQ(Floats(labels, labels + length), (Floats{1, 2, 3, 4, 5}));
  }
}

TEST_F(Proxy, CarriesTheMarginsOfAPredictionInPlace) {
  Problem const problem;
  auto const booster = Train(problem.data, Logistic(), 3);
  auto const predict = [&](Predicted* out) {
    bst_ulong const* shape = nullptr;
    bst_ulong dim = 0;
    float const* values = nullptr;
    auto const status = XGBoosterPredictFromDense(booster.get(), Table(problem.values, 4).c_str(),
                                                  PredictConfig(1).c_str(), proxy_.get(), &shape, &dim, &values);
    if (status == 0) *out = Copy(shape, dim, values);
    return status;
  };
  Floats const margins = Features(200, 1, 5);
  Predicted in_place;
  ASSERT_OK(Set("base_margin", {1, 2}));
  EXPECT_NE(predict(&in_place), 0);
  ASSERT_OK(Set("base_margin", margins));
  ASSERT_OK(predict(&in_place));
  ASSERT_OK(XGDMatrixSetInfoFromInterface(problem.data.get(), "base_margin", Vector(margins).c_str()));
  EXPECT_EQ(in_place.values, Predict(booster, problem.data, PredictConfig(1)).values);
}

}  // namespace
}  // namespace kauri::testing
