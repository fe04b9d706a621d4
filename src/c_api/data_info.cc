/// Information on a DMatrix: setters, getters, counts, and the features as compressed rows.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "c_api/arrays.h"
#include "c_api/global.h"
#include "c_api/guard.h"
#include "c_api/handles.h"
#include "c_api/json_config.h"
#include "data/label_classes.h"
#include "data/meta_info.h"

namespace kauri::c_api {
namespace {

/// Returns a view of `count` elements in the caller's memory.
ArrayView VectorOf(void const* data, bst_ulong count, DType dtype, std::int64_t item_size) {
  ArrayView array;
  array.data = count == 0 ? data : NotNull(data, "data");
  array.dtype = dtype;
  array.shape = {static_cast<std::int64_t>(count), 1};
  array.strides = {item_size, item_size};
  if (array.shape[0] < 0) Fail(ErrorKind::kParameter, "a length of ", count, " is more than an array can have.");
  return array;
}

/// Reshapes flat labels and margins with several values per row to a table.
ArrayView AsTable(MetaInfo const& info, std::string const& field, ArrayView array) {
  if (field != "label" && field != "base_margin") return array;
  if (info.n_rows <= 0 || array.shape[0] == info.n_rows || array.shape[0] % info.n_rows != 0) return array;
  auto const width = array.shape[0] / info.n_rows;
  array.shape = {info.n_rows, width};
  array.strides[0] *= width;
  array.n_dims = 2;
  return array;
}

void SetVector(DMatrixHandle handle, char const* field, ArrayView const& array) {
  DataOrProxyChange const data(handle);
  std::string const name = NotNull(field, "field");
  if (name == "label") data->labels = {};
  SetInfo(data->MutableInfo(), name, AsTable(data->Info(), name, array), MakeContext(0));
}

ArrayView TypedVector(void const* data, bst_ulong size, int type) {
  switch (type) {
    case 1:
      return VectorOf(data, size, DType::kF32, 4);
    case 2:
      return VectorOf(data, size, DType::kF64, 8);
    case 3:
      return VectorOf(data, size, DType::kU32, 4);
    case 4:
      return VectorOf(data, size, DType::kU64, 8);
    default:
      break;
  }
  Fail(ErrorKind::kParameter, "element type ", type, " is unknown; expected 1 float32, 2 float64, 3 uint32, 4 uint64.");
}

/// Returns the shape of values: one per row, or a table of several.
std::vector<std::size_t> ShapeOf(std::vector<float> const& values, std::int64_t n_rows) {
  auto const size = static_cast<std::int64_t>(values.size());
  if (n_rows > 0 && size > n_rows && size % n_rows == 0) return {ToSize(n_rows), ToSize(size / n_rows)};
  return {values.size()};
}

std::string InfoInterface(DataHandle* handle, std::string const& field) {
  auto const& info = handle->Info();
  if (field == "group_ptr" || field == "global_rows") {
    auto& integers = handle->Buffers().integers;
    integers = GetUintInfo(info, field);
    std::vector<std::size_t> shape{integers.size()};
    if (field == "global_rows") shape = {integers.size() / 2, 2};
    return InterfaceOf(integers.data(), shape, "<u4");
  }
  auto const table = field == "label" || field == "base_margin";
  auto const& values = GetFloatInfo(info, field);
  return InterfaceOf(values.data(), ShapeOf(values, table ? info.n_rows : 0), "<f4");
}

/// The arrays of XGDMatrixGetDataAsCSR.
struct CsrOut {
  bst_ulong* indptr;
  unsigned* indices;
  float* values;
};

/// Copies the present entries of `n_rows` rows from `first_row` on, the first of them to `next`; returns the index
/// after them.
std::size_t CopyPresent(float const* value, std::int64_t first_row, std::int64_t n_rows, std::int64_t n_cols,
                        std::size_t next, CsrOut const& out) {
  for (auto row = first_row; row < first_row + n_rows; ++row) {
    for (std::int64_t col = 0; col < n_cols; ++col, ++value) {
      if (std::isnan(*value)) continue;
      out.indices[next] = static_cast<unsigned>(col);
      out.values[next++] = *value;
    }
    out.indptr[row + 1] = next;
  }
  return next;
}

/// Copies the representative values of rows in a RowStore.
void CopyStored(DataMatrix const& matrix, CsrOut const& out) {
  constexpr std::int64_t kMostValues = 1 << 20;
  auto const view = matrix.View();
  auto const n_cols = matrix.NumCols();
  auto const at_once = std::max<std::int64_t>(1, kMostValues / std::max<std::int64_t>(1, n_cols));
  std::vector<float> tile;
  std::size_t next = 0;
  for (std::int64_t row = 0; row < matrix.NumRows(); row += at_once) {
    auto const n_rows = std::min(at_once, matrix.NumRows() - row);
    tile.resize(n_rows * n_cols);
    view->CopyRows(row, row + n_rows, n_cols, tile.data());
    next = CopyPresent(tile.data(), row, n_rows, n_cols, next, out);
  }
}

void CopyCsr(DataMatrix const& matrix, CsrOut const& out) {
  out.indptr[0] = 0;
  if (matrix.Store() != nullptr) {
    CopyStored(matrix, out);
    return;
  }
  if (matrix.IsDense()) {
    CopyPresent(matrix.Dense().values.data(), 0, matrix.NumRows(), matrix.NumCols(), 0, out);
    return;
  }
  auto const& csr = matrix.Csr();
  std::copy(csr.row_ptr.begin(), csr.row_ptr.end(), out.indptr);
  std::copy(csr.features.begin(), csr.features.end(), out.indices);
  std::copy(csr.values.begin(), csr.values.end(), out.values);
}

/// Returns the number of rows or columns of a matrix, or of the batch that a proxy holds.
int ReturnCount(DMatrixHandle handle, bst_ulong* out, std::int64_t MetaInfo::*count) {
  return Guard([&] {
    DataOrProxyRead const data(handle);
    auto const n = data->Info().*count;
    *NotNull(out, "out") = n == kUnknownCount ? 0 : static_cast<bst_ulong>(n);
  });
}

/// Returns the labels for KauriFindClasses, whose arguments it checks.
ArrayView LabelsOf(char const* labels, std::uint32_t max_classes) {
  auto const array = ArrayOf(labels, "labels");
  if (array.shape[1] != 1) Fail(ErrorKind::kData, "labels have ", array.shape[1], " columns; expected a vector.");
  if (max_classes == 0 || max_classes > kMostFoundClasses) {
    Fail(ErrorKind::kParameter, "max_classes is ", max_classes, "; expected 1 to ", kMostFoundClasses, ".");
  }
  return array;
}

}  // namespace
}  // namespace kauri::c_api

using namespace kauri::c_api;  // this file defines functions of the global namespace
using kauri::DataMatrix;

int XGDMatrixSetInfoFromInterface(DMatrixHandle handle, char const* field, char const* data) {
  return Guard([&] {
    DataOrProxyChange const matrix(handle);
    std::string const name = NotNull(field, "field");
    auto const array = AnyArrayOf(data, "data");
    if (name == "label") matrix->labels = {};
    if (array.on_device && name == "label" && matrix->data == nullptr && matrix->proxy_info.n_rows > 0) {
      matrix->labels = PendingLabels(matrix->proxy_info, array.array);
      return;
    }
    if (array.on_device && name == "label") return SetDeviceLabels(array.array, matrix->MutableInfo());
    kauri::SetInfo(matrix->MutableInfo(), name, array.OnHost().view, MakeContext(0));
  });
}

int XGDMatrixSetFloatInfo(DMatrixHandle handle, char const* field, float const* array, bst_ulong len) {
  return Guard([&] { SetVector(handle, field, TypedVector(array, len, 1)); });
}

int XGDMatrixSetUIntInfo(DMatrixHandle handle, char const* field, unsigned const* array, bst_ulong len) {
  return Guard([&] { SetVector(handle, field, TypedVector(array, len, 3)); });
}

int XGDMatrixSetDenseInfo(DMatrixHandle handle, char const* field, void const* data, bst_ulong size, int type) {
  return Guard([&] { SetVector(handle, field, TypedVector(data, size, type)); });
}

int XGDMatrixSetStrFeatureInfo(DMatrixHandle handle, char const* field, char const** features, bst_ulong size) {
  return Guard([&] {
    DataOrProxyChange const matrix(handle);
    kauri::SetFeatureStrings(matrix->MutableInfo(), NotNull(field, "field"), StringsOf(features, size, "features"));
  });
}

int XGDMatrixGetStrFeatureInfo(DMatrixHandle handle, char const* field, bst_ulong* size, char const*** out_features) {
  return Guard([&] {
    DataOrProxyRead const matrix(handle);
    auto strings = kauri::GetFeatureStrings(matrix->Info(), NotNull(field, "field"));
    matrix->Buffers().ReturnStrings(std::move(strings), NotNull(size, "size"), NotNull(out_features, "out_features"));
  });
}

int XGDMatrixGetFloatInfo(DMatrixHandle handle, char const* field, bst_ulong* out_len, float const** out) {
  return Guard([&] {
    DataOrProxyRead const matrix(handle);
    auto const& values = kauri::GetFloatInfo(matrix->Info(), NotNull(field, "field"));
    *NotNull(out_len, "out_len") = values.size();
    *NotNull(out, "out") = values.data();
  });
}

int KauriFindClasses(char const* labels, std::uint32_t max_classes, int nthread, float* out_codes, double* out_classes,
                     bst_ulong* out_n) {
  return Guard([&] {
    auto const array = LabelsOf(labels, max_classes);
    auto const n = static_cast<std::size_t>(array.shape[0]);
    NotNull(out_n, "out_n");
    NotNull(out_classes, "out_classes");
    auto* const codes = n == 0 ? out_codes : NotNull(out_codes, "out_codes");
    auto const classes = kauri::FindClasses(MakeContext(nthread), array, max_classes, {codes, n});
    std::copy(classes.begin(), classes.end(), out_classes);
    *out_n = classes.size();
  });
}

int XGDMatrixGetUIntInfo(DMatrixHandle handle, char const* field, bst_ulong* out_len, unsigned const** out) {
  return Guard([&] {
    DataOrProxyRead const matrix(handle);
    auto& integers = matrix->Buffers().integers;
    integers = kauri::GetUintInfo(matrix->Info(), NotNull(field, "field"));
    *NotNull(out_len, "out_len") = integers.size();
    *NotNull(out, "out") = integers.data();
  });
}

int XGDMatrixGetInfoRef(DMatrixHandle handle, char const* field, char const** out) {
  return Guard([&] {
    DataOrProxyRead const matrix(handle);
    auto text = InfoInterface(&*matrix, NotNull(field, "field"));
    auto& buffer = matrix->Buffers().text;
    buffer = std::move(text);
    *NotNull(out, "out") = buffer.c_str();
  });
}

int XGDMatrixNumRow(DMatrixHandle handle, bst_ulong* out) { return ReturnCount(handle, out, &kauri::MetaInfo::n_rows); }

int XGDMatrixNumCol(DMatrixHandle handle, bst_ulong* out) { return ReturnCount(handle, out, &kauri::MetaInfo::n_cols); }

int XGDMatrixNumNonMissing(DMatrixHandle handle, bst_ulong* out) {
  return Guard([&] {
    DataOrProxyRead const matrix(handle);
    auto const& data = matrix->data;
    *NotNull(out, "out") = data == nullptr ? 0 : static_cast<bst_ulong>(data->NumEntries());
  });
}

int XGDMatrixDataSplitMode(DMatrixHandle handle, bst_ulong* out) {
  return Guard([&] {
    DataOrProxy(handle);
    *NotNull(out, "out") = 0;
  });
}

int XGDMatrixGetDataAsCSR(DMatrixHandle handle, char const* config, bst_ulong* out_indptr, unsigned* out_indices,
                          float* out_data) {
  return Guard([&] {
    JsonConfig const settings(config, "XGDMatrixGetDataAsCSR");
    DataRead const held(handle);
    auto const& matrix = *held->data;
    NotNull(out_indptr, "out_indptr");
    if (matrix.NumEntries() > 0) NotNull(out_indices, "out_indices");
    if (matrix.NumEntries() > 0) NotNull(out_data, "out_data");
    CopyCsr(matrix, {out_indptr, out_indices, out_data});
  });
}
