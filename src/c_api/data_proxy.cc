/// Proxies, and matrices from iterators that fill them batch by batch.
#include <utility>
#include <vector>

#include "c_api/arrays.h"
#include "c_api/data_create.h"
#include "c_api/guard.h"
#include "c_api/handles.h"
#include "c_api/json_config.h"
#include "data/arrow.h"
#include "data/chain.h"
#include "data/columnar.h"

namespace kauri::c_api {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

DataHandle& ProxyOf(DMatrixHandle handle) {
  auto& proxy = DataOrProxy(handle);
  if (proxy.data != nullptr) Fail(ErrorKind::kParameter, "the handle is a DMatrix; this call needs a proxy.");
  return proxy;
}

/// A proxy learns how many rows there are; the features stay with the caller.
void SetRows(DataHandle* proxy, std::int64_t n_rows, std::int64_t n_cols, CopyRows copy) {
  proxy->proxy_info = MetaInfo();
  proxy->proxy_info.n_rows = n_rows;
  proxy->proxy_info.n_cols = n_cols;
  proxy->copy_rows = std::move(copy);
}

/// The same for rows that `view_of` makes a view of, given what is missing.
template <typename ViewOf>
void SetView(DMatrixHandle handle, ViewOf view_of) {
  auto& proxy = ProxyOf(handle);
  auto const view = view_of(kNaN, MakeContext(0));
  SetRows(&proxy, view->NumRows(), view->NumCols(),
          [view_of](Context const& ctx, float missing) { return DataMatrix::FromView(ctx, *view_of(missing, ctx)); });
}

void SetTable(DMatrixHandle handle, std::shared_ptr<ArrowTable const> const& table) {
  auto& proxy = ProxyOf(handle);
  SetRows(&proxy, table->NumRows(), table->NumCols(),
          [table](Context const& ctx, float missing) { return DataMatrix::FromView(ctx, *table->View(missing)); });
  SetArrowNames(*table, &proxy.proxy_info);
}

void SetDeviceRows(DMatrixHandle handle, std::vector<DeviceArray> const& arrays, std::int64_t n_cols) {
  auto const n_rows = arrays.empty() ? 0 : arrays[0].view.shape[0];
  SetRows(&ProxyOf(handle), n_rows, n_cols, [arrays](Context const&, float missing) {
    return DataMatrix::FromDevice(RequireDeviceMemory()->Copy(arrays, missing));
  });
}

/// The rows that the proxy holds now, with their labels and the like; the proxy is empty afterwards.
std::unique_ptr<DataMatrix> TakeBatch(DataHandle* proxy, CreateConfig const& settings) {
  if (proxy->copy_rows == nullptr) {
    Fail(ErrorKind::kData, "the iterator announced a batch without giving its data; set the proxy's data before.");
  }
  auto const copy = std::exchange(proxy->copy_rows, nullptr);
  auto batch = copy(settings.ctx, settings.missing);
  *batch->MutableInfo() = std::exchange(proxy->proxy_info, MetaInfo());
  return batch;
}

/// An iterator of the caller.
struct DataIterator {
  DataIterHandle handle;
  DataIterResetCallback* reset;
  XGDMatrixCallbackNext* next;
};

std::unique_ptr<DataMatrix> ReadBatches(DataIterator const& iterator, DataHandle* proxy, CreateConfig const& settings) {
  std::vector<std::unique_ptr<DataMatrix>> batches;
  proxy->copy_rows = nullptr;
  iterator.reset(iterator.handle);
  while (iterator.next(iterator.handle) != 0) batches.push_back(TakeBatch(proxy, settings));
  iterator.reset(iterator.handle);
  return Concatenate(settings.ctx, std::move(batches));
}

void RefuseCache(JsonConfig const& config) {
  if (!config.Has("cache_prefix") || config.Document()["cache_prefix"].is_null()) return;
  if (auto const prefix = config.Text("cache_prefix"); !prefix.empty()) {
    Fail(ErrorKind::kParameter, "XGDMatrixCreateFromCallback: cache_prefix='", prefix,
         "' asks for external memory, which is not available; leave it out to hold the data in memory.");
  }
}

}  // namespace
}  // namespace kauri::c_api

using namespace kauri::c_api;  // NOLINT: this file defines functions of the global namespace
using kauri::Context;

int XGProxyDMatrixCreate(DMatrixHandle* out) {
  return Guard([&] { *NotNull(out, "out") = new DataHandle(nullptr); });
}

int XGProxyDMatrixSetDataDense(DMatrixHandle handle, char const* data) {
  return Guard([&] {
    SetView(handle, [array = ArrayOf(data, "data")](float missing, Context const& ctx) {
      return kauri::MakeDenseView(array, missing, ctx);
    });
  });
}

int XGProxyDMatrixSetDataCSR(DMatrixHandle handle, char const* indptr, char const* indices, char const* data,
                             bst_ulong ncol) {
  return Guard([&] {
    SetView(handle,
            [indptr = ArrayOf(indptr, "indptr"), indices = ArrayOf(indices, "indices"), values = ArrayOf(data, "data"),
             n_cols = CountOf(ncol, "ncol")](float missing, Context const& ctx) {
              return kauri::MakeCsrView(indptr, indices, values, n_cols, missing, ctx);
            });
  });
}

int XGProxyDMatrixSetDataColumnar(DMatrixHandle handle, char const* data) {
  return Guard([&] {
    SetView(handle, [columns = std::string(NotNull(data, "data"))](float missing, Context const&) {
      return kauri::MakeColumnarView(columns, missing);
    });
  });
}

int KauriProxyDMatrixSetDataArrowStream(DMatrixHandle handle, struct ArrowArrayStream* stream) {
  return Guard([&] { SetTable(handle, kauri::ArrowTable::FromStream(NotNull(stream, "stream"))); });
}

int KauriProxyDMatrixSetDataArrowArray(DMatrixHandle handle, struct ArrowSchema* schema, struct ArrowArray* array) {
  return Guard(
      [&] { SetTable(handle, kauri::ArrowTable::FromArray(NotNull(schema, "schema"), NotNull(array, "array"))); });
}

int XGProxyDMatrixSetDataCudaArrayInterface(DMatrixHandle handle, char const* data) {
  return Guard([&] {
    auto const array = DeviceArrayOf(data, "data");
    SetDeviceRows(handle, {array}, array.view.shape[1]);
  });
}

int XGProxyDMatrixSetDataCudaColumnar(DMatrixHandle handle, char const* data) {
  return Guard([&] {
    auto const columns = kauri::ParseDeviceColumns(NotNull(data, "data"));
    SetDeviceRows(handle, columns, static_cast<std::int64_t>(columns.size()));
  });
}

int XGDMatrixCreateFromCallback(DataIterHandle iter, DMatrixHandle proxy, DataIterResetCallback* reset,
                                XGDMatrixCallbackNext* next, char const* config, DMatrixHandle* out) {
  return Guard([&] {
    NotNull(out, "out");
    JsonConfig const document(config, "XGDMatrixCreateFromCallback");
    RefuseCache(document);
    DataIterator const iterator{iter, NotNull(reset, "reset"), NotNull(next, "next")};
    ReturnData(ReadBatches(iterator, &ProxyOf(proxy), CreateConfig(document)), out);
  });
}
