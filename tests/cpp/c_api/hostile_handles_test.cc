/// Callers that free objects in use, and inconsistent numbers and structs.
#include <cstring>
#include <string>
#include <vector>

#include "c_api/batches.h"
#include "data/adapters/arrow.h"

namespace kauri::testing {
namespace {

std::vector<float> const& Values() {
  static auto const* const values = new std::vector<float>(Features(40, 3));
  return *values;
}

/// Tries to free the proxy, then gives a batch.
void FreeAndGive(DMatrixHandle proxy) {
  EXPECT_NE(XGDMatrixFree(proxy), 0);
  EXPECT_NE(std::string(XGBGetLastError()).find("in use"), std::string::npos) << XGBGetLastError();
  EXPECT_OK(XGProxyDMatrixSetDataDense(proxy, Table(Values(), 3).c_str()));
}

TEST(HostileHandles, AProxyCannotBeFreedByItsIterator) {
  for (auto const with_bins : {false, true}) {
    Batches batches({FreeAndGive, FreeAndGive});
    DMatrixHandle out = nullptr;
    ASSERT_OK(with_bins ? batches.ReadBins(nullptr, &out) : batches.Read(&out));
    bst_ulong n_rows = 0;
    ASSERT_OK(XGDMatrixNumRow(out, &n_rows));
    EXPECT_EQ(n_rows, 80U);
    XGDMatrixFree(out);
  }
}

/// The matrix that provides the bins is freed while they are used.
TEST(HostileHandles, TheReferenceMayBeFreedByTheIterator) {
  auto reference = MakeData(Values(), 3);
  auto const give = [&](DMatrixHandle proxy) {
    reference.reset();
    EXPECT_OK(XGProxyDMatrixSetDataDense(proxy, Table(Values(), 3).c_str()));
  };
  Batches batches({give, give, give});
  DMatrixHandle out = nullptr;
  ASSERT_OK(batches.ReadBins(reference.get(), &out));
  bst_ulong n_rows = 0;
  ASSERT_OK(XGDMatrixNumRow(out, &n_rows));
  EXPECT_EQ(n_rows, 120U);
  XGDMatrixFree(out);
}

int ReadColumns(std::uintptr_t reference) {
  std::vector<float> const codes{0, 1, 0};
  auto const text = R"({"ref_categories": )" + std::to_string(reference) + R"(, "columns": [)" + Vector(codes) + "]}";
  DMatrixHandle out = nullptr;
  auto const status = XGDMatrixCreateFromColumnar(text.c_str(), kNaNMissing, &out);
  if (status == 0) XGDMatrixFree(out);
  return status;
}

std::string CategoricalColumns() {
  static std::vector<int> const offsets{0, 1, 2};
  static std::vector<signed char> const bytes{'a', 'b'};
  static std::vector<signed char> const codes{0, 1, 0};
  return R"([[{"offsets": )" + Interface(offsets, "<i4", "[3]") + R"(, "values": )" + Interface(bytes, "|i1", "[2]") +
         "}, " + Interface(codes, "|i1", "[3]") + "]]";
}

TEST(HostileHandles, AnyNumberMayBeReferredTo) {
  auto const data = MakeData(Values(), 3);
  for (auto const number : {std::uintptr_t{1}, std::uintptr_t{4096}, reinterpret_cast<std::uintptr_t>(data.get()),
                            reinterpret_cast<std::uintptr_t>(Values().data()), ~std::uintptr_t{0}}) {
    EXPECT_NE(ReadColumns(number), 0) << number;
    EXPECT_NE(std::string(XGBGetLastError()).find("no container of categories"), std::string::npos)
        << XGBGetLastError();
  }
}

TEST(HostileHandles, FreedCategoriesAreNotReferredTo) {
  DMatrixHandle matrix = nullptr;
  ASSERT_OK(XGDMatrixCreateFromColumnar(CategoricalColumns().c_str(), kNaNMissing, &matrix));
  Data const data(matrix);
  CategoriesHandle categories = nullptr;
  ASSERT_OK(XGDMatrixGetCategories(matrix, nullptr, &categories));
  ASSERT_NE(categories, nullptr);
  EXPECT_OK(ReadColumns(reinterpret_cast<std::uintptr_t>(categories)));
  ASSERT_OK(XGBCategoriesFree(categories));
  EXPECT_NE(ReadColumns(reinterpret_cast<std::uintptr_t>(categories)), 0);
}

int g_n_released = 0;
void CountStream(ArrowArrayStream* stream) {
  ++g_n_released;
  stream->release = nullptr;
}
int GiveSchema(ArrowArrayStream*, ArrowSchema* out) {
  static ArrowSchema column{};
  static ArrowSchema* columns[] = {&column};
  column.format = "f";
  *out = ArrowSchema{};
  out->format = "+s";
  out->n_children = 1;
  out->children = columns;
  out->release = [](ArrowSchema* schema) { schema->release = nullptr; };
  return 0;
}
int GiveNothing(ArrowArrayStream*, ArrowArray* out) {
  *out = ArrowArray{};
  return 0;
}

/// A stream that lacks a function is refused, and released if possible.
TEST(HostileHandles, StreamsWithoutFunctions) {
  struct Case {
    decltype(ArrowArrayStream::get_schema) get_schema;
    decltype(ArrowArrayStream::get_next) get_next;
    decltype(ArrowArrayStream::release) release;
    int n_released;
  };
  for (auto const& at : {Case{nullptr, GiveNothing, CountStream, 1}, Case{GiveSchema, nullptr, CountStream, 1},
                         Case{nullptr, nullptr, CountStream, 1}, Case{GiveSchema, GiveNothing, nullptr, 0},
                         Case{nullptr, nullptr, nullptr, 0}}) {
    ArrowArrayStream stream{at.get_schema, at.get_next, nullptr, at.release, nullptr};
    g_n_released = 0;
    DMatrixHandle out = nullptr;
    EXPECT_NE(KauriDMatrixCreateFromArrowStream(&stream, kNaNMissing, &out), 0);
    EXPECT_NE(std::string(XGBGetLastError()).find("Arrow: the stream"), std::string::npos) << XGBGetLastError();
    EXPECT_EQ(g_n_released, at.n_released);
  }
}

}  // namespace
}  // namespace kauri::testing
