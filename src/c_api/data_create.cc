/// Creates and slices DMatrix handles.
#include "c_api/data_create.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "booster/class_names.h"
#include "c_api/arrays.h"
#include "c_api/categories.h"
#include "c_api/global.h"
#include "c_api/guard.h"
#include "c_api/handles.h"
#include "c_api/json_config.h"
#include "data/adapters/array_views.h"
#include "data/adapters/arrow.h"
#include "data/adapters/columnar.h"
#include "data/copies/slice.h"
#include "data/file/binary_format.h"
#include "data_from_uri.h"

namespace kauri::c_api {
namespace {

std::unique_ptr<DataMatrix> FromUri(JsonConfig const& config) {
  if (auto const mode = config.IntegerOr("data_split_mode", 0); mode != 0) {
    Fail(ErrorKind::kParameter, "XGDMatrixCreateFromURI: data_split_mode=", mode, " is not available; use 0 (rows).");
  }
  return ReadUri(MakeContext(0), config.Text("uri"), BinOptionsOf(config));
}

std::unique_ptr<DataMatrix> FromUriFor(Learner* learner, JsonConfig const& config) {
  auto names = TextNamesOf(learner->GetModel());
  auto data = ReadUri(MakeContext(0), config.Text("uri"), BinOptionsOf(config), &names);
  KeepClasses(names, learner);
  return data;
}

/// Returns a view of values to copy into a matrix, which then refuses infinite ones.
std::unique_ptr<DataView> ViewToCopy(ArrayView const& array, float missing, Context const& ctx) {
  return MakeDenseView(array, {missing, Infinities::kTaken}, ctx);
}

std::unique_ptr<DataMatrix> FromRows(float const* data, bst_ulong n_rows, bst_ulong n_cols, float missing,
                                     int nthread) {
  ArrayView array;
  array.shape = {CountOf(n_rows, "nrow"), CountOf(n_cols, "ncol")};
  array.n_dims = 2;
  if (array.shape[0] != 0 && array.shape[1] > std::numeric_limits<std::int64_t>::max() / 4 / array.shape[0]) {
    Fail(ErrorKind::kParameter, "nrow=", n_rows, " times ncol=", n_cols, " is more than memory can hold.");
  }
  array.strides = {static_cast<std::int64_t>(sizeof(float)) * array.shape[1], sizeof(float)};
  array.data = n_rows * n_cols == 0 ? data : NotNull(data, "data");
  auto const ctx = MakeContext(nthread);
  return DataMatrix::FromView(ctx, *ViewToCopy(array, missing, ctx));
}

void SliceRows(DMatrixHandle handle, int const* rows, bst_ulong n_rows, bool allow_groups, DMatrixHandle* out) {
  static_assert(sizeof(int) == sizeof(std::int32_t), "idxset holds 32-bit integers");
  NotNull(out, "out");
  if (n_rows > 0) NotNull(rows, "idxset");
  Span<std::int32_t const> const chosen(rows, static_cast<std::size_t>(n_rows));
  ReturnData(Slice(MakeContext(0), *DataRead(handle)->data, chosen, allow_groups), out);
}

std::unique_ptr<DataMatrix> CopyTable(CreateConfig const& settings, ArrowTable const& table) {
  auto matrix = DataMatrix::FromView(settings.ctx, *table.View(settings.missing));
  SetArrowNames(table, matrix->MutableInfo());
  return matrix;
}

void CopyFromDevice(std::vector<DeviceArray> const& arrays, CreateConfig const& settings, DMatrixHandle* out) {
  ReturnData(DataMatrix::FromDevice(RequireDeviceMemory()->Copy(arrays, settings.missing)), out);
}

}  // namespace

BinStoreOptions BinOptionsOf(JsonConfig const& config) {
  BinStoreOptions options;
  if (config.IsGiven("max_bin")) {
    auto const max_bin = config.Integer("max_bin");
    options.max_bin = static_cast<int>(std::clamp<std::int64_t>(max_bin, -1, std::numeric_limits<int>::max()));
  }
  options.is_one_batch = config.IsGiven("one_batch") && config.Boolean("one_batch");
  if (config.IsGiven("memory_budget")) options.budget = BudgetOfMegabytes(config.Integer("memory_budget"));
  return options;
}

}  // namespace kauri::c_api

using namespace kauri::c_api;  // this file defines functions of the global namespace
using kauri::DataMatrix;

int XGDMatrixCreateFromURI(char const* config, DMatrixHandle* out) {
  return Guard([&] {
    NotNull(out, "out");
    ReturnData(FromUri(JsonConfig(config, "XGDMatrixCreateFromURI")), out);
  });
}

int KauriBoosterReadData(BoosterHandle handle, char const* config, DMatrixHandle* out) {
  return Guard([&] {
    NotNull(out, "out");
    JsonConfig const settings(config, "KauriBoosterReadData");
    BoosterUse const booster(handle);
    ReturnData(FromUriFor(booster.Handle().learner.get(), settings), out);
  });
}

int XGDMatrixCreateFromDense(char const* data, char const* config, DMatrixHandle* out) {
  return Guard([&] {
    NotNull(out, "out");
    CreateConfig const settings(config, "XGDMatrixCreateFromDense");
    auto const view = ViewToCopy(ArrayOf(data, "data"), settings.missing, settings.ctx);
    ReturnData(DataMatrix::FromView(settings.ctx, *view), out);
  });
}

int XGDMatrixCreateFromCSR(char const* indptr, char const* indices, char const* data, bst_ulong ncol,
                           char const* config, DMatrixHandle* out) {
  return Guard([&] {
    NotNull(out, "out");
    CreateConfig const settings(config, "XGDMatrixCreateFromCSR");
    auto const view = kauri::MakeCsrView(ArrayOf(indptr, "indptr"), ArrayOf(indices, "indices"), ArrayOf(data, "data"),
                                         CountOf(ncol, "ncol"), settings.missing, settings.ctx);
    ReturnData(DataMatrix::FromView(settings.ctx, *view), out);
  });
}

int XGDMatrixCreateFromCSC(char const* indptr, char const* indices, char const* data, bst_ulong nrow,
                           char const* config, DMatrixHandle* out) {
  return Guard([&] {
    NotNull(out, "out");
    CreateConfig const settings(config, "XGDMatrixCreateFromCSC");
    ReturnData(kauri::MakeCscMatrix(settings.ctx, ArrayOf(indptr, "indptr"), ArrayOf(indices, "indices"),
                                    ArrayOf(data, "data"), CountOf(nrow, "nrow"), settings.missing),
               out);
  });
}

int XGDMatrixCreateFromColumnar(char const* data, char const* config, DMatrixHandle* out) {
  return Guard([&] {
    NotNull(out, "out");
    CreateConfig const settings(config, "XGDMatrixCreateFromColumnar");
    auto const view = ColumnarViewOf(NotNull(data, "data"), settings.missing);
    ReturnData(DataMatrix::FromView(settings.ctx, *view), out);
  });
}

int KauriDMatrixCreateFromArrowStream(struct ArrowArrayStream* stream, char const* config, DMatrixHandle* out) {
  return Guard([&] {
    auto const table = kauri::ArrowTable::FromStream(NotNull(stream, "stream"));
    NotNull(out, "out");
    ReturnData(CopyTable(CreateConfig(config, "KauriDMatrixCreateFromArrowStream"), *table), out);
  });
}

int KauriDMatrixCreateFromArrowArray(struct ArrowSchema* schema, struct ArrowArray* array, char const* config,
                                     DMatrixHandle* out) {
  return Guard([&] {
    auto const table = kauri::ArrowTable::FromArray(NotNull(schema, "schema"), NotNull(array, "array"));
    NotNull(out, "out");
    ReturnData(CopyTable(CreateConfig(config, "KauriDMatrixCreateFromArrowArray"), *table), out);
  });
}

int XGDMatrixCreateFromCudaArrayInterface(char const* data, char const* config, DMatrixHandle* out) {
  return Guard([&] {
    NotNull(out, "out");
    CreateConfig const settings(config, "XGDMatrixCreateFromCudaArrayInterface");
    CopyFromDevice({DeviceArrayOf(data, "data")}, settings, out);
  });
}

int XGDMatrixCreateFromCudaColumnar(char const* data, char const* config, DMatrixHandle* out) {
  return Guard([&] {
    NotNull(out, "out");
    CreateConfig const settings(config, "XGDMatrixCreateFromCudaColumnar");
    CopyFromDevice(kauri::ParseDeviceColumns(NotNull(data, "data")), settings, out);
  });
}

int XGDMatrixCreateFromMat(float const* data, bst_ulong nrow, bst_ulong ncol, float missing, DMatrixHandle* out) {
  return XGDMatrixCreateFromMat_omp(data, nrow, ncol, missing, out, 0);
}

int XGDMatrixCreateFromMat_omp(float const* data, bst_ulong nrow, bst_ulong ncol, float missing, DMatrixHandle* out,
                               int nthread) {
  return Guard([&] {
    NotNull(out, "out");
    ReturnData(FromRows(data, nrow, ncol, missing, nthread), out);
  });
}

int XGDMatrixSaveBinary(DMatrixHandle handle, char const* fname, int /*silent*/) {
  return Guard([&] { kauri::WriteBinary(*DataRead(handle)->data, NotNull(fname, "fname")); });
}

int XGDMatrixFree(DMatrixHandle handle) {
  return Guard([&] {
    auto& data = DataOrProxy(handle);
    if (data.TakeForGood("DMatrix")) delete &data;
  });
}

int XGDMatrixSliceDMatrix(DMatrixHandle handle, int const* idxset, bst_ulong len, DMatrixHandle* out) {
  return Guard([&] { SliceRows(handle, idxset, len, false, out); });
}

int XGDMatrixSliceDMatrixEx(DMatrixHandle handle, int const* idxset, bst_ulong len, DMatrixHandle* out,
                            int allow_groups) {
  return Guard([&] { SliceRows(handle, idxset, len, allow_groups != 0, out); });
}
