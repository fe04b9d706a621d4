/// DMatrix: every way to make one gives the same rows; fields round-trip.
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "c_api/support.h"

namespace kauri::testing {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

struct Csr {
  std::vector<bst_ulong> indptr;
  std::vector<unsigned> indices;
  std::vector<float> values;
  bool operator==(Csr const& other) const {
    return indptr == other.indptr && indices == other.indices && values == other.values;
  }
};

bst_ulong Count(int (*getter)(DMatrixHandle, bst_ulong*), Data const& data) {
  bst_ulong count = 0;
  EXPECT_OK(getter(data.get(), &count));
  return count;
}

Csr Rows(Data const& data) {
  Csr csr;
  csr.indptr.resize(Count(XGDMatrixNumRow, data) + 1);
  csr.indices.resize(Count(XGDMatrixNumNonMissing, data));
  csr.values.resize(csr.indices.size());
  EXPECT_OK(XGDMatrixGetDataAsCSR(data.get(), "{}", csr.indptr.data(), csr.indices.data(), csr.values.data()));
  return csr;
}

/// Three rows, three columns: 1 . 2 / . . . / . 3 4
Csr const kExpected{{0, 2, 2, 4}, {0, 2, 1, 2}, {1, 2, 3, 4}};

TEST(DataHandles, AllCreatorsAgree) {
  std::vector<float> const dense{1, kNaN, 2, kNaN, kNaN, kNaN, kNaN, 3, 4};
  EXPECT_EQ(Rows(MakeData(dense, 3)), kExpected);

  DMatrixHandle handle = nullptr;
  ASSERT_OK(XGDMatrixCreateFromMat(dense.data(), 3, 3, -1.0F, &handle));
  EXPECT_EQ(Rows(Data(handle)), kExpected);
  ASSERT_OK(XGDMatrixCreateFromMat_omp(dense.data(), 3, 3, kNaN, &handle, 2));
  EXPECT_EQ(Rows(Data(handle)), kExpected);

  std::vector<std::int64_t> const row_ptr{0, 2, 2, 4};
  std::vector<std::int32_t> const columns{2, 0, 1, 2};
  std::vector<double> const by_row{2, 1, 3, 4};
  ASSERT_OK(XGDMatrixCreateFromCSR(Interface(row_ptr, "<i8", "[4]").c_str(), Interface(columns, "<i4", "[4]").c_str(),
                                   Interface(by_row, "<f8", "[4]").c_str(), 3, kNaNMissing, &handle));
  EXPECT_EQ(Rows(Data(handle)), kExpected);

  std::vector<std::int64_t> const col_ptr{0, 1, 2, 4};
  std::vector<std::int32_t> const rows{0, 2, 0, 2};
  std::vector<double> const by_col{1, 3, 2, 4};
  ASSERT_OK(XGDMatrixCreateFromCSC(Interface(col_ptr, "<i8", "[4]").c_str(), Interface(rows, "<i4", "[4]").c_str(),
                                   Interface(by_col, "<f8", "[4]").c_str(), 3, R"({"missing": NaN, "nthread": 1})",
                                   &handle));
  EXPECT_EQ(Rows(Data(handle)), kExpected);

  std::vector<std::int16_t> const first{1, -9, -9};
  std::vector<double> const second{-9, -9, 3};
  std::vector<float> const third{2, -9, 4};
  auto const table = "[" + Interface(first, "<i2", "[3]") + ", " + Interface(second, "<f8", "[3]") + ", " +
                     Interface(third, "<f4", "[3]") + "]";
  ASSERT_OK(XGDMatrixCreateFromColumnar(table.c_str(), R"({"missing": -9})", &handle));
  EXPECT_EQ(Rows(Data(handle)), kExpected);
}

/// The JVM package passes 0 for an unknown shape.
TEST(Data, WithoutAShapeSparseDataHaveWhatTheirIndicesReach) {
  DMatrixHandle handle = nullptr;
  std::vector<std::int64_t> const row_ptr{0, 2, 2, 4};
  std::vector<std::int32_t> const columns{2, 0, 1, 2};
  std::vector<double> const by_row{2, 1, 3, 4};
  ASSERT_OK(XGDMatrixCreateFromCSR(Interface(row_ptr, "<i8", "[4]").c_str(), Interface(columns, "<i4", "[4]").c_str(),
                                   Interface(by_row, "<f8", "[4]").c_str(), 0, kNaNMissing, &handle));
  EXPECT_EQ(Rows(Data(handle)), kExpected);
  std::vector<std::int64_t> const col_ptr{0, 1, 2, 4};
  std::vector<std::int32_t> const rows{0, 2, 0, 2};
  std::vector<double> const by_col{1, 3, 2, 4};
  ASSERT_OK(XGDMatrixCreateFromCSC(Interface(col_ptr, "<i8", "[4]").c_str(), Interface(rows, "<i4", "[4]").c_str(),
                                   Interface(by_col, "<f8", "[4]").c_str(), 0, kNaNMissing, &handle));
  EXPECT_EQ(Rows(Data(handle)), kExpected);
  std::vector<std::int32_t> const below{2, 0, -1, 2};
  EXPECT_EQ(XGDMatrixCreateFromCSR(Interface(row_ptr, "<i8", "[4]").c_str(), Interface(below, "<i4", "[4]").c_str(),
                                   Interface(by_row, "<f8", "[4]").c_str(), 0, kNaNMissing, &handle),
            -1);
  EXPECT_NE(std::string(XGBGetLastError()).find("has the column index -1"), std::string::npos);
}

TEST(DataHandles, CountsAndSplitMode) {
  auto const data = MakeData({1, kNaN, 2, 3}, 2);
  EXPECT_EQ(Count(XGDMatrixNumRow, data), 2U);
  EXPECT_EQ(Count(XGDMatrixNumCol, data), 2U);
  EXPECT_EQ(Count(XGDMatrixNumNonMissing, data), 3U);
  EXPECT_EQ(Count(XGDMatrixDataSplitMode, data), 0U);
}

std::vector<float> Floats(Data const& data, char const* field) {
  bst_ulong length = 99;
  float const* values = nullptr;
  EXPECT_OK(XGDMatrixGetFloatInfo(data.get(), field, &length, &values));
  return {values, values + length};
}

TEST(DataHandles, FieldsComeBack) {
  auto const data = MakeData({1, 2, 3, 4}, 1);
  EXPECT_TRUE(Floats(data, "label").empty());
  std::vector<float> const labels{0, 1, 0, 1};
  ASSERT_OK(XGDMatrixSetFloatInfo(data.get(), "label", labels.data(), 4));
  EXPECT_EQ(Floats(data, "label"), labels);
  std::vector<double> const weights{1, 2, 3, 4.5};
  ASSERT_OK(XGDMatrixSetDenseInfo(data.get(), "weight", weights.data(), 4, 2));
  EXPECT_EQ(Floats(data, "weight"), (std::vector<float>{1, 2, 3, 4.5F}));
  std::vector<float> const margins{1, 2, 3, 4, 5, 6, 7, 8};
  ASSERT_OK(XGDMatrixSetFloatInfo(data.get(), "base_margin", margins.data(), 8));
  char const* text = nullptr;
  ASSERT_OK(XGDMatrixGetInfoRef(data.get(), "base_margin", &text));
  auto const interface = nlohmann::json::parse(text);
  EXPECT_EQ(interface.at("shape"), nlohmann::json({4, 2}));
  EXPECT_EQ(reinterpret_cast<float const*>(interface.at("data")[0].get<std::uintptr_t>())[7], 8.0F);
  ASSERT_OK(XGDMatrixSetFloatInfo(data.get(), "weight", nullptr, 0));
  EXPECT_TRUE(Floats(data, "weight").empty());
}

TEST(DataHandles, GroupsFromSizesAndIds) {
  auto const data = MakeData({1, 2, 3, 4, 5}, 1);
  std::vector<unsigned> const expected{0, 2, 5};
  for (auto const& [field, values] :
       std::vector<std::pair<char const*, std::vector<unsigned>>>{{"group", {2, 3}}, {"qid", {7, 7, 9, 9, 9}}}) {
    ASSERT_OK(XGDMatrixSetUIntInfo(data.get(), field, values.data(), values.size()));
    bst_ulong length = 0;
    unsigned const* groups = nullptr;
    ASSERT_OK(XGDMatrixGetUIntInfo(data.get(), "group_ptr", &length, &groups));
    EXPECT_EQ(std::vector<unsigned>(groups, groups + length), expected) << field;
  }
}

TEST(DataHandles, FeatureNamesAndTypes) {
  auto const data = MakeData({1, 2}, 2);
  std::vector<char const*> names{"a", "b"};
  std::vector<char const*> types{"int", "float"};
  ASSERT_OK(XGDMatrixSetStrFeatureInfo(data.get(), "feature_name", names.data(), 2));
  ASSERT_OK(XGDMatrixSetStrFeatureInfo(data.get(), "feature_type", types.data(), 2));
  bst_ulong size = 0;
  char const** strings = nullptr;
  ASSERT_OK(XGDMatrixGetStrFeatureInfo(data.get(), "feature_type", &size, &strings));
  EXPECT_EQ(std::vector<std::string>(strings, strings + size), (std::vector<std::string>{"int", "float"}));
  ASSERT_OK(XGDMatrixGetStrFeatureInfo(data.get(), "feature_name", &size, &strings));
  EXPECT_EQ(std::vector<std::string>(strings, strings + size), (std::vector<std::string>{"a", "b"}));
  ASSERT_OK(XGDMatrixSetStrFeatureInfo(data.get(), "feature_name", nullptr, 0));
  ASSERT_OK(XGDMatrixGetStrFeatureInfo(data.get(), "feature_name", &size, &strings));
  EXPECT_EQ(size, 0U);
}

TEST(DataHandles, SlicesKeepTheOrderAsked) {
  auto const data = MakeData({1, 2, 3, 4}, 1, {10, 20, 30, 40});
  std::vector<int> const rows{3, 1, 1};
  DMatrixHandle handle = nullptr;
  ASSERT_OK(XGDMatrixSliceDMatrix(data.get(), rows.data(), 3, &handle));
  Data const slice(handle);
  EXPECT_EQ(Rows(slice).values, (std::vector<float>{4, 2, 2}));
  EXPECT_EQ(Floats(slice, "label"), (std::vector<float>{40, 20, 20}));
}

TEST(DataHandles, UriReadsTheDemoData) {
  auto const uri = std::string(KAURI_SOURCE_DIR) + "/demo/data/breast_cancer.test.libsvm?format=libsvm";
  DMatrixHandle handle = nullptr;
  ASSERT_OK(XGDMatrixCreateFromURI((R"({"uri": ")" + uri + R"(", "silent": 1})").c_str(), &handle));
  Data const data(handle);
  EXPECT_EQ(Count(XGDMatrixNumRow, data), 113U);
  EXPECT_EQ(Count(XGDMatrixNumCol, data), 30U);
}

}  // namespace
}  // namespace kauri::testing
