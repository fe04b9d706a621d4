/// Matrices from iterators and from Arrow tables.
#include "c_api/batches.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/arrow_batch.h"

namespace kauri::testing {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// Returns the values that are present, row by row, and sets row_ptr.
std::vector<float> PresentValues(Data const& data, std::vector<bst_ulong>* row_ptr) {
  bst_ulong n_rows = 0;
  bst_ulong n_entries = 0;
  EXPECT_OK(XGDMatrixNumRow(data.get(), &n_rows));
  EXPECT_OK(XGDMatrixNumNonMissing(data.get(), &n_entries));
  row_ptr->resize(n_rows + 1);
  std::vector<unsigned> columns(n_entries);
  std::vector<float> values(n_entries);
  EXPECT_OK(XGDMatrixGetDataAsCSR(data.get(), "{}", row_ptr->data(), columns.data(), values.data()));
  return values;
}

std::vector<float> Labels(Data const& data) {
  bst_ulong length = 0;
  float const* values = nullptr;
  EXPECT_OK(XGDMatrixGetFloatInfo(data.get(), "label", &length, &values));
  return {values, values + length};
}

std::vector<std::string> Names(Data const& data) {
  bst_ulong size = 0;
  char const** strings = nullptr;
  EXPECT_OK(XGDMatrixGetStrFeatureInfo(data.get(), "feature_name", &size, &strings));
  return {strings, strings + size};
}

void SetLabels(DMatrixHandle handle, std::vector<float> const& labels) {
  EXPECT_OK(XGDMatrixSetInfoFromInterface(handle, "label", Vector(labels).c_str()));
}

TEST(Batches, OfEveryKind) {
  std::vector<float> const dense{1, -9, 3, 4};
  std::vector<std::int64_t> const indptr{0, 1};
  std::vector<std::int32_t> const indices{1};
  std::vector<double> const values{5};
  std::vector<std::int16_t> const first{-9, 8};
  std::vector<float> const second{7, 9};
  auto const columns = "[" + Interface(first, "<i2", "[2]") + ", " + Vector(second) + "]";
  ArrowMaker maker;
  maker.Field("x", "f").Field("y", "f");
  Batches batches({[&](DMatrixHandle proxy) {
                     EXPECT_OK(XGProxyDMatrixSetDataDense(proxy, Table(dense, 2).c_str()));
                     SetLabels(proxy, {1, 2});
                   },
                   [&](DMatrixHandle proxy) {
                     EXPECT_OK(XGProxyDMatrixSetDataCSR(proxy, Interface(indptr, "<i8", "[2]").c_str(),
                                                        Interface(indices, "<i4", "[1]").c_str(),
                                                        Interface(values, "<f8", "[1]").c_str(), 2));
                     SetLabels(proxy, {3});
                   },
                   [&](DMatrixHandle proxy) {
                     EXPECT_OK(XGProxyDMatrixSetDataColumnar(proxy, columns.c_str()));
                     SetLabels(proxy, {4, 5});
                   },
                   [&](DMatrixHandle proxy) {
                     auto stream = maker.Stream({maker.Batch(2, {second.data(), second.data()})});
                     EXPECT_OK(KauriProxyDMatrixSetDataArrowStream(proxy, &stream));
                     SetLabels(proxy, {6, 7});
                   }});
  DMatrixHandle handle = nullptr;
  ASSERT_OK(batches.Read(&handle, R"({"missing": -9, "nthread": 2, "cache_prefix": ""})"));
  Data const data(handle);
  std::vector<bst_ulong> row_ptr;
  EXPECT_EQ(PresentValues(data, &row_ptr), (std::vector<float>{1, 3, 4, 5, 7, 8, 9, 7, 7, 9, 9}));
  EXPECT_EQ(row_ptr, (std::vector<bst_ulong>{0, 1, 3, 4, 5, 7, 9, 11}));
  EXPECT_EQ(Labels(data), (std::vector<float>{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(Names(data), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(batches.NumResets(), 2);
  EXPECT_EQ(maker.NumReleased(), 1);
}

TEST(Batches, TrainAsOneTable) {
  Problem const problem;
  auto const n_rows = problem.labels.size();
  auto const cut = n_rows / 3;
  auto const n_cols = problem.values.size() / n_rows;
  auto const part = [&](std::size_t begin, std::size_t end) {
    return [&, begin, end](DMatrixHandle proxy) {
      auto const at = [](std::size_t i) { return static_cast<std::ptrdiff_t>(i); };
      static std::vector<float> rows;  // the proxy's memory must stay valid until the next batch
      rows.assign(problem.values.begin() + at(begin * n_cols), problem.values.begin() + at(end * n_cols));
      EXPECT_OK(XGProxyDMatrixSetDataDense(proxy, Table(rows, static_cast<std::int64_t>(n_cols)).c_str()));
      SetLabels(proxy, {problem.labels.begin() + at(begin), problem.labels.begin() + at(end)});
    };
  };
  Batches batches({part(0, cut), part(cut, n_rows)});
  DMatrixHandle handle = nullptr;
  ASSERT_OK(batches.Read(&handle));
  Data const data(handle);
  EXPECT_EQ(Predict(Train(data, Logistic(), 3), data).values,
            Predict(Train(problem.data, Logistic(), 3), problem.data).values);
}

/// A batch's row or column information in the first pass, and in later ones.
struct Unsteady {
  std::function<void(DMatrixHandle)> first;
  std::function<void(DMatrixHandle)> other;
};

void SetStrings(DMatrixHandle handle, char const* field, std::vector<char const*> strings) {
  EXPECT_OK(XGDMatrixSetStrFeatureInfo(handle, field, strings.data(), strings.size()));
}

TEST(Batches, AFurtherPassThatSaysSomethingElseIsRefused) {
  std::vector<float> const values{1, 2, 3, 4};
  std::vector<float> const up{1, 2};
  std::vector<float> const down{2, 1};
  auto const of_rows = [&](char const* field, std::vector<float> const& numbers) {
    return [field, &numbers](DMatrixHandle proxy) {
      EXPECT_OK(XGDMatrixSetInfoFromInterface(proxy, field, Vector(numbers).c_str()));
    };
  };
  auto const of_columns = [](char const* field, char const* first, char const* second) {
    return [=](DMatrixHandle proxy) { SetStrings(proxy, field, {first, second}); };
  };
  std::vector<std::pair<std::string, Unsteady>> const cases{
      {"label", {of_rows("label", up), of_rows("label", down)}},
      {"weight", {of_rows("weight", up), of_rows("weight", down)}},
      {"base_margin", {of_rows("base_margin", up), of_rows("base_margin", down)}},
      {"feature_name", {of_columns("feature_name", "a", "b"), of_columns("feature_name", "b", "a")}},
      {"feature_type", {of_columns("feature_type", "q", "q"), of_columns("feature_type", "q", "i")}},
  };
  using Make = int (*)(Batches*, DMatrixHandle*);
  std::vector<Make> const makers{
      [](Batches* batches, DMatrixHandle* out) { return batches->ReadBins(nullptr, out); },
      [](Batches* batches, DMatrixHandle* out) { return batches->WriteBins(out); },
      [](Batches* batches, DMatrixHandle* out) {
        return batches->Read(out, R"({"missing": NaN, "cache_prefix": "unsteady"})");
      },
  };
  for (auto const& [field, given] : cases) {
    for (auto const make : makers) {
      for (auto const changes : {false, true}) {
        Batches* iterator = nullptr;
        Batches batches({[&, &unsteady = given](DMatrixHandle proxy) {
          EXPECT_OK(XGProxyDMatrixSetDataDense(proxy, Table(values, 2).c_str()));
          (changes && iterator->NumResets() > 1 ? unsteady.other : unsteady.first)(proxy);
        }});
        iterator = &batches;
        DMatrixHandle handle = nullptr;
        auto const status = make(&batches, &handle);
        Data const made(handle);
        EXPECT_EQ(status, changes ? -1 : 0) << field;
        if (!changes) continue;
        std::string const message = XGBGetLastError();
        EXPECT_NE(message.find("gave another " + field + " than the first"), std::string::npos) << message;
      }
    }
  }
}

TEST(ArrowTables, StreamAndArray) {
  std::vector<float> const values{1, kNaN, 3};
  std::vector<std::uint8_t> const bytes{200, 1, 2};
  ArrowMaker maker;
  maker.Field("x", "f").Field("y", "C");
  DMatrixHandle handle = nullptr;
  auto stream = maker.Stream({maker.Batch(3, {values.data(), bytes.data()})});
  ASSERT_OK(KauriDMatrixCreateFromArrowStream(&stream, R"({"missing": 2})", &handle));
  Data const from_stream(handle);
  std::vector<bst_ulong> row_ptr;
  EXPECT_EQ(PresentValues(from_stream, &row_ptr), (std::vector<float>{1, 200, 1, 3}));
  EXPECT_EQ(Names(from_stream), (std::vector<std::string>{"x", "y"}));
  auto batch = maker.Batch(3, {values.data(), bytes.data()});
  ASSERT_OK(KauriDMatrixCreateFromArrowArray(maker.Schema(), &batch, kNaNMissing, &handle));
  EXPECT_EQ(PresentValues(Data(handle), &row_ptr), (std::vector<float>{1, 200, 1, 3, 2}));
  EXPECT_EQ(maker.NumReleased(), 2);
}

}  // namespace
}  // namespace kauri::testing
