#include <random>

#include "data/adapters/columnar.h"
#include "data/data_test_support.h"

namespace kauri {
namespace {

/// Reads element by element through ElementAsDouble.
std::vector<float> Reference(ArrayView const& array, float missing) {
  std::vector<float> rows;
  for (std::int64_t row = 0; row < array.shape[0]; ++row) {
    for (std::int64_t col = 0; col < array.shape[1]; ++col) {
      auto const value = static_cast<float>(ElementAsDouble(array, row, col));
      rows.push_back(value == missing ? kNaN : value);
    }
  }
  return rows;
}

template <typename T>
void ExpectDense(float missing) {
  std::mt19937 random(7);
  std::vector<T> values;
  for (int i = 0; i < 33 * 5; ++i) values.push_back(static_cast<T>(random() % 4));
  auto array = TableView(values, 33, 5);
  ExpectSame(RowsOf(*MakeDenseView(array, missing)), Reference(array, missing));
  auto const item = static_cast<std::int64_t>(sizeof(T));
  array.strides = {item, 33 * item};
  ExpectSame(RowsOf(*MakeDenseView(array, missing)), Reference(array, missing));
  array.data = &values.back();
  array.strides = {-5 * item, -item};
  ExpectSame(RowsOf(*MakeDenseView(array, missing)), Reference(array, missing));
}

TEST(DenseView, EveryTypeLayoutAndMissing) {
  for (auto const missing : {kNaN, 0.0F, 2.0F, -999.0F}) {
    ExpectDense<float>(missing);
    ExpectDense<double>(missing);
    ExpectDense<std::int8_t>(missing);
    ExpectDense<std::int32_t>(missing);
    ExpectDense<std::int64_t>(missing);
    ExpectDense<std::uint8_t>(missing);
    ExpectDense<std::uint64_t>(missing);
  }
}

TEST(DenseView, MissingIsComparedAsFloat32) {
  std::vector<double> const values{0.1, -999.0, 5.0};
  ExpectSame(RowsOf(*MakeDenseView(VectorView(values), 0.1F)), {kNaN, -999.0F, 5.0F});
  ExpectSame(RowsOf(*MakeDenseView(VectorView(values), -999.0F)), {0.1F, kNaN, 5.0F});
}

TEST(DenseView, DenseRowsOnlyWhereNothingIsToBeDone) {
  std::vector<float> const values{1, 2, kNaN, 4, 5, 6};
  EXPECT_EQ(MakeDenseView(TableView(values, 2, 3), kNaN)->DenseRows(), values.data());
  EXPECT_EQ(MakeDenseView(TableView(values, 2, 3), 0.0F)->DenseRows(), nullptr);
  auto transposed = TableView(values, 2, 3);
  transposed.strides = {4, 8};
  EXPECT_EQ(MakeDenseView(transposed, kNaN)->DenseRows(), nullptr);
  std::vector<double> const doubles{1, 2};
  EXPECT_EQ(MakeDenseView(VectorView(doubles), kNaN)->DenseRows(), nullptr);
}

TEST(DenseView, FewerAndMoreColumns) {
  std::vector<float> const floats{1, 2, 3, 4};
  std::vector<double> const doubles{1, 2, 3, 4};
  for (auto const& array : {TableView(floats, 2, 2), TableView(doubles, 2, 2)}) {
    auto const view = MakeDenseView(array, kNaN);
    std::vector<float> narrow(2);
    view->CopyRows(0, 2, 1, narrow.data());
    ExpectSame(narrow, {1, 3});
    std::vector<float> wide(3);
    view->CopyRows(1, 2, 3, wide.data());
    ExpectSame(wide, {3, 4, kNaN});
  }
}

TEST(DenseView, InfinityIsAnErrorUnlessMissing) {
  std::vector<float> const floats{1, 2, 3, -kInf};
  std::vector<double> const doubles{1, 2, 3, -1e300};
  std::vector<std::string> const parts{"row 1, column 1 is -inf", "finite", "missing=-inf"};
  ExpectParts(MessageOf([&] { MakeDenseView(TableView(floats, 2, 2), kNaN); }), parts);
  ExpectParts(MessageOf([&] { RowsOf(*MakeDenseView(TableView(floats, 2, 2), 0.0F)); }), parts);
  ExpectParts(MessageOf([&] { RowsOf(*MakeDenseView(TableView(doubles, 2, 2), kNaN)); }), parts);
  ExpectSame(RowsOf(*MakeDenseView(TableView(floats, 2, 2), -kInf)), {1, 2, 3, kNaN});
  ExpectSame(RowsOf(*MakeDenseView(TableView(doubles, 2, 2), -kInf)), {1, 2, 3, kNaN});
}

TEST(DenseView, FirstInfinityIsNamedForAnyThreadCount) {
  std::vector<float> values(400000, 1.0F);
  values[399999] = kInf;
  values[70001] = kInf;
  for (auto const threads : {1, 8}) {
    ExpectParts(MessageOf([&] { MakeDenseView(TableView(values, 100000, 4), kNaN, WithThreads(threads)); }),
                {"row 17500, column 1 "});
  }
}

struct Csr {
  std::vector<std::int64_t> indptr{0, 2, 2, 5};
  std::vector<std::int32_t> indices{3, 0, 1, 2, 3};
  std::vector<double> values{1, 2, 3, 4, 5};
  std::unique_ptr<DataView> View(std::int64_t n_cols = 4, float missing = kNaN) const {
    return MakeCsrView(VectorView(indptr), VectorView(indices), VectorView(values), n_cols, missing);
  }
  std::string Refusal(std::int64_t n_cols = 4) const {
    return MessageOf([&] { RowsOf(*View(n_cols)); });
  }
};

TEST(CsrView, UnsortedRowsAndMissing) {
  Csr csr;
  ExpectSame(RowsOf(*csr.View()), {2, kNaN, kNaN, 1, kNaN, kNaN, kNaN, kNaN, kNaN, 3, 4, 5});
  csr.values[3] = kNaN;
  ExpectSame(RowsOf(*csr.View(4, 1.0F)), {2, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, 3, kNaN, 5});
  std::vector<float> narrow(6);
  csr.View()->CopyRows(0, 3, 2, narrow.data());
  ExpectSame(narrow, {2, kNaN, kNaN, kNaN, kNaN, 3});
}

TEST(CsrView, IndexTypes) {
  Csr const csr;
  std::vector<std::uint8_t> const indices8{3, 0, 1, 2, 3};
  std::vector<std::uint64_t> const indices64{3, 0, 1, 2, 3};
  std::vector<std::int32_t> const indptr32{0, 2, 2, 5};
  auto const expected = RowsOf(*csr.View());
  for (auto const& indices : {VectorView(indices8), VectorView(indices64)}) {
    ExpectSame(RowsOf(*MakeCsrView(VectorView(indptr32), indices, VectorView(csr.values), 4, kNaN)), expected);
  }
}

TEST(CsrView, ChosenFeatures) {
  Csr const csr;
  std::vector<std::int32_t> const slots{-1, 1, -1, 0};
  std::vector<float> tile(6);
  ASSERT_TRUE(csr.View()->CopyFeatures(0, 3, slots, 2, tile.data()));
  ExpectSame(tile, {1, kNaN, kNaN, kNaN, 5, 3});
  auto const matrix = DataMatrix::FromCsr({{0, 1}, {7}, {2.5F}}, 9);
  ASSERT_FALSE(matrix->IsDense());
  ASSERT_TRUE(matrix->View()->CopyFeatures(0, 1, slots, 2, tile.data()));
  EXPECT_TRUE(std::isnan(tile[0]) && std::isnan(tile[1]));
}

TEST(CsrView, Refusals) {
  Csr csr;
  ExpectParts(csr.Refusal(3), {"CSR row 0", "index 3", "there are 3 columns"});
  csr.indices[4] = -1;
  ExpectParts(csr.Refusal(), {"CSR row 2", "index -1"});
  csr = Csr();
  csr.values[4] = kInf;
  ExpectParts(csr.Refusal(), {"row 2, column 3 is inf"});
  EXPECT_EQ(MessageOf([&] { RowsOf(*csr.View(4, kInf)); }), "no error");
  csr = Csr();
  csr.indptr = {0, 3, 2, 5};
  ExpectParts(csr.Refusal(), {"CSR indptr[2] is 2", "3", "5"});
  csr.indptr = {0, 3, 3, 6};
  ExpectParts(csr.Refusal(), {"CSR indptr[3] is 6"});
  csr.indptr = {-1, 3, 3, 5};
  ExpectParts(csr.Refusal(), {"CSR indptr[0] is -1"});
  csr.indptr = {};
  ExpectParts(csr.Refusal(), {"CSR indptr is empty"});
  csr = Csr();
  csr.values.pop_back();
  ExpectParts(csr.Refusal(), {"5 indices but 4 values"});
  csr = Csr();
  ExpectParts(
      MessageOf([&] { MakeCsrView(VectorView(csr.indptr), VectorView(csr.values), VectorView(csr.values), 4, kNaN); }),
      {"CSR indices must hold integers"});
  ExpectParts(
      MessageOf([&] { MakeCsrView(VectorView(csr.values), VectorView(csr.indices), VectorView(csr.values), 4, kNaN); }),
      {"CSR indptr must hold integers"});
  std::vector<std::uint64_t> const huge{0, UINT64_MAX};
  ExpectParts(
      MessageOf([&] { MakeCsrView(VectorView(huge), VectorView(csr.indices), VectorView(csr.values), 4, kNaN); }),
      {"CSR indptr[1] is 18446744073709551615", "int64"});
  ExpectParts(MessageOf([&] {
                MakeCsrView(VectorView(csr.indptr), TableView(csr.indices, 1, 5), VectorView(csr.values), 4, kNaN);
              }),
              {"must be vectors"});
}

std::string ColumnJson(ArrayView const& array, std::string const& typestr) {
  return "{\"data\":[" + std::to_string(reinterpret_cast<std::uintptr_t>(array.data)) + ",true],\"typestr\":\"" +
         typestr + "\",\"shape\":[" + std::to_string(array.shape[0]) + "],\"version\":3}";
}

TEST(ColumnarView, MixedTypes) {
  std::vector<float> const a{1, -1, kNaN};
  std::vector<std::int64_t> const b{4, 5, -1};
  auto const json = "[" + ColumnJson(VectorView(a), "<f4") + "," + ColumnJson(VectorView(b), "<i8") + "]";
  auto const view = MakeColumnarView(json, -1.0F);
  ExpectSame(RowsOf(*view), {1, 4, kNaN, 5, kNaN, kNaN});
  std::vector<float> wide(3);
  view->CopyRows(1, 2, 3, wide.data());
  ExpectSame(wide, {kNaN, 5, kNaN});
  EXPECT_TRUE(DataMatrix::FromView(WithThreads(2), *view)->IsDense());
}

TEST(ColumnarView, Refusals) {
  std::vector<float> const a{1, kInf};
  std::vector<float> const b{1, 2, 3};
  auto const refusal = [](std::string const& json) {
    return MessageOf([&] { RowsOf(*MakeColumnarView(json, kNaN)); });
  };
  auto const column_a = ColumnJson(VectorView(a), "<f4");
  auto const column_b = ColumnJson(VectorView(b), "<f4");
  ExpectParts(refusal("[" + column_a + "]"), {"row 1, column 0 is inf"});
  ExpectParts(refusal("[" + column_b + "," + column_a + "]"), {"column 1 has 2 rows", "column 0 has 3"});
  ExpectParts(refusal("[" + column_b + ",[" + column_a + "," + column_b + "]]"),
              {"column 1", "names of a floating point dtype"});
  ExpectParts(refusal("[[" + column_a + "]]"), {"column 0", "a list of 1 elements"});
  ExpectParts(refusal("[{}]"), {"column 0", "typestr"});
  ExpectParts(refusal("{"), {"'{'", "list of array interfaces"});
}

TEST(Views, InfinitiesAreTakenWhereTheyMayBe) {
  std::vector<float> const floats = {1, kInf, -kInf, kNaN, 2, 3};
  std::vector<double> const doubles(floats.begin(), floats.end());
  Context const ctx;
  ExpectSame(RowsOf(*MakeDenseView(TableView(floats, 3, 2), {kNaN, Infinities::kTaken}, ctx)), floats);
  ExpectSame(RowsOf(*MakeDenseView(TableView(doubles, 3, 2), {kNaN, Infinities::kTaken}, ctx)), floats);
  ExpectSame(RowsOf(*MakeDenseView(TableView(doubles, 3, 2), {kInf, Infinities::kTaken}, ctx)),
             {1, kNaN, -kInf, kNaN, 2, 3});
  std::vector<std::int32_t> const indptr = {0, 2, 3, 5};
  std::vector<std::int32_t> const indices = {0, 1, 0, 0, 1};
  std::vector<float> const values = {1, kInf, -kInf, 2, 3};
  auto const csr = [&](Infinities infinities) {
    return RowsOf(
        *MakeCsrView(VectorView(indptr), VectorView(indices), VectorView(values), 2, {kNaN, infinities}, ctx));
  };
  ExpectSame(csr(Infinities::kTaken), floats);
  ExpectParts(MessageOf([&] { csr(Infinities::kRefused); }), {"row 0", "column 1", "inf"});
  auto const json = "[" + ColumnJson(VectorView(floats), "<f4") + "]";
  ExpectSame(RowsOf(*MakeColumnarView(json, kNaN, Infinities::kTaken)), floats);
  ExpectParts(MessageOf([&] { RowsOf(*MakeColumnarView(json, kNaN)); }), {"row 1", "inf"});
}

}  // namespace
}  // namespace kauri
