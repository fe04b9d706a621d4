/// Making DMatrix handles and proxies; slicing.
#include <limits>
#include <memory>
#include <utility>

#include "c_api/arrays.h"
#include "c_api/global.h"
#include "c_api/guard.h"
#include "c_api/handles.h"
#include "c_api/json_config.h"
#include "data/columnar.h"
#include "data/csc_adapter.h"
#include "data/slice.h"

namespace kauri::c_api {
namespace {

void ReturnData(std::unique_ptr<DataMatrix> matrix, DMatrixHandle* out) { *out = new DataHandle(std::move(matrix)); }

/// A count that arrives as bst_ulong. \throws Error(kParameter) past int64.
std::int64_t CountOf(bst_ulong count, char const* name) {
  if (count > static_cast<bst_ulong>(std::numeric_limits<std::int64_t>::max())) {
    Fail(ErrorKind::kParameter, "argument '", name, "' is ", count, ", which no array can have; was it negative?");
  }
  return static_cast<std::int64_t>(count);
}

/// The two settings that all creators share.
struct CreateConfig {
  CreateConfig(char const* text, char const* call) : CreateConfig(JsonConfig(text, call)) {}
  explicit CreateConfig(JsonConfig const& config)
      : missing(static_cast<float>(config.Number("missing"))), ctx(MakeContext(config.IntegerOr("nthread", 0))) {}
  float missing;
  Context ctx;
};

std::unique_ptr<DataMatrix> FromUri(JsonConfig const& config) {
  if (auto const mode = config.IntegerOr("data_split_mode", 0); mode != 0) {
    Fail(ErrorKind::kParameter, "XGDMatrixCreateFromURI: data_split_mode=", mode, " is not available; use 0 (rows).");
  }
  return DataMatrix::FromUri(MakeContext(0), config.Text("uri"));
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
  return DataMatrix::FromView(ctx, *MakeDenseView(array, missing, ctx));
}

void SliceRows(DMatrixHandle handle, int const* rows, bst_ulong n_rows, bool allow_groups, DMatrixHandle* out) {
  static_assert(sizeof(int) == sizeof(std::int32_t), "idxset holds 32-bit integers");
  NotNull(out, "out");
  if (n_rows > 0) NotNull(rows, "idxset");
  Span<std::int32_t const> const chosen(rows, static_cast<std::size_t>(n_rows));
  ReturnData(Slice(MakeContext(0), *DataOf(handle).data, chosen, allow_groups), out);
}

/// A proxy learns how many rows there are; the features stay with the caller.
void SetProxyShape(DMatrixHandle handle, std::int64_t n_rows, std::int64_t n_cols) {
  auto& proxy = DataOrProxy(handle);
  if (proxy.data != nullptr) Fail(ErrorKind::kParameter, "the handle is a DMatrix; this call needs a proxy.");
  proxy.proxy_info = MetaInfo();
  proxy.proxy_info.n_rows = n_rows;
  proxy.proxy_info.n_cols = n_cols;
}

void SetProxyRows(DMatrixHandle handle, DataView const& view) { SetProxyShape(handle, view.NumRows(), view.NumCols()); }

void CopyFromDevice(std::vector<DeviceArray> const& arrays, CreateConfig const& settings, DMatrixHandle* out) {
  ReturnData(DataMatrix::FromDevice(RequireDeviceMemory()->Copy(arrays, settings.missing)), out);
}

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

}  // namespace
}  // namespace kauri::c_api

using namespace kauri::c_api;  // NOLINT: this file defines functions of the global namespace
using kauri::DataMatrix;

int XGDMatrixCreateFromURI(char const* config, DMatrixHandle* out) {
  return Guard([&] {
    NotNull(out, "out");
    ReturnData(FromUri(JsonConfig(config, "XGDMatrixCreateFromURI")), out);
  });
}

int XGDMatrixCreateFromDense(char const* data, char const* config, DMatrixHandle* out) {
  return Guard([&] {
    NotNull(out, "out");
    CreateConfig const settings(config, "XGDMatrixCreateFromDense");
    auto const view = kauri::MakeDenseView(ArrayOf(data, "data"), settings.missing, settings.ctx);
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
    auto const view = kauri::MakeColumnarView(NotNull(data, "data"), settings.missing);
    ReturnData(DataMatrix::FromView(settings.ctx, *view), out);
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

int XGDMatrixFree(DMatrixHandle handle) {
  return Guard([&] { delete &DataOrProxy(handle); });
}

int XGDMatrixSliceDMatrix(DMatrixHandle handle, int const* idxset, bst_ulong len, DMatrixHandle* out) {
  return Guard([&] { SliceRows(handle, idxset, len, false, out); });
}

int XGDMatrixSliceDMatrixEx(DMatrixHandle handle, int const* idxset, bst_ulong len, DMatrixHandle* out,
                            int allow_groups) {
  return Guard([&] { SliceRows(handle, idxset, len, allow_groups != 0, out); });
}

int XGProxyDMatrixCreate(DMatrixHandle* out) {
  return Guard([&] { *NotNull(out, "out") = new DataHandle(nullptr); });
}

int XGProxyDMatrixSetDataDense(DMatrixHandle handle, char const* data) {
  return Guard([&] { SetProxyRows(handle, *kauri::MakeDenseView(ArrayOf(data, "data"), kNaN)); });
}

int XGProxyDMatrixSetDataCSR(DMatrixHandle handle, char const* indptr, char const* indices, char const* data,
                             bst_ulong ncol) {
  return Guard([&] {
    SetProxyRows(handle, *kauri::MakeCsrView(ArrayOf(indptr, "indptr"), ArrayOf(indices, "indices"),
                                             ArrayOf(data, "data"), CountOf(ncol, "ncol"), kNaN));
  });
}

int XGProxyDMatrixSetDataColumnar(DMatrixHandle handle, char const* data) {
  return Guard([&] { SetProxyRows(handle, *kauri::MakeColumnarView(NotNull(data, "data"), kNaN)); });
}

int XGProxyDMatrixSetDataCudaArrayInterface(DMatrixHandle handle, char const* data) {
  return Guard([&] {
    auto const shape = DeviceArrayOf(data, "data").view.shape;
    SetProxyShape(handle, shape[0], shape[1]);
  });
}

int XGProxyDMatrixSetDataCudaColumnar(DMatrixHandle handle, char const* data) {
  return Guard([&] {
    auto const columns = kauri::ParseDeviceColumns(NotNull(data, "data"));
    SetProxyShape(handle, columns.empty() ? 0 : columns[0].view.shape[0], static_cast<std::int64_t>(columns.size()));
  });
}
