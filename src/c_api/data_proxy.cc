/// Proxies, and the iterators that fill them batch by batch.
#include <utility>
#include <vector>

#include "c_api/arrays.h"
#include "c_api/categories.h"
#include "c_api/data_create.h"
#include "c_api/guard.h"
#include "c_api/handles.h"
#include "c_api/json_config.h"
#include "data/adapters/array_views.h"
#include "data/adapters/arrow.h"
#include "data/adapters/columnar.h"
#include "data/batches/chain.h"
#include "data/meta_info.h"

namespace kauri::c_api {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

DataHandle& ProxyOf(void* handle) {
  auto& proxy = DataOrProxy(handle);
  if (proxy.data != nullptr) Fail(ErrorKind::kParameter, "the handle is a DMatrix; this call needs a proxy.");
  return proxy;
}

using ProxyChange = Held<DataHandle, Access::kChange, ProxyOf>;

bool HoldsRows(DataHandle const& proxy) { return proxy.proxy_info.n_rows != kUnknownCount; }

/// Returns the info of the next rows. If the proxy holds no rows, it is the info set since the previous rows were
/// taken; otherwise it is empty.
MetaInfo InfoOfNext(DataHandle const& proxy, std::int64_t n_rows, std::int64_t n_cols) {
  auto info = HoldsRows(proxy) ? MetaInfo() : proxy.proxy_info;
  info.n_rows = n_rows;
  info.n_cols = n_cols;
  return info;
}

/// Gives rows and their info to a proxy; the features stay with the caller.
void SetRows(DataHandle* proxy, MetaInfo info, CallerRows rows) {
  proxy->labels = {};
  proxy->proxy_info = std::move(info);
  proxy->rows = std::move(rows);
}

void DropRows(DataHandle* proxy) {
  LockHold const hold(&proxy->lock, Access::kChange, "proxy");
  if (HoldsRows(*proxy)) SetRows(proxy, InfoOfUnknownRows(), {});
}

struct Shape {
  std::int64_t n_rows;
  std::int64_t n_cols;
};

/// Gives rows of this shape to a proxy as a view, which `view_of` creates from the missing value.
template <typename ViewOf>
void SetView(DMatrixHandle handle, Shape shape, ViewOf view_of) {
  ProxyChange const proxy(handle);
  SetRows(&*proxy, InfoOfNext(*proxy, shape.n_rows, shape.n_cols),
          {[view_of](Context const& ctx, float missing) { return DataMatrix::FromView(ctx, *view_of(missing, ctx)); },
           [view_of](Context const& ctx, float missing) { return view_of(missing, ctx); }});
}

/// Does the same where only the view knows its shape; it also checks the arrays.
template <typename ViewOf>
void SetView(DMatrixHandle handle, ViewOf view_of) {
  auto const view = view_of(kNaN, MakeContext(0));
  SetView(handle, {view->NumRows(), view->NumCols()}, view_of);
}

void SetTable(DMatrixHandle handle, std::shared_ptr<ArrowTable const> const& table) {
  ProxyChange const proxy(handle);
  auto info = InfoOfNext(*proxy, table->NumRows(), table->NumCols());
  SetArrowNames(*table, &info);
  auto const copy = [table](Context const& ctx, float missing) {
    return DataMatrix::FromView(ctx, *table->View(missing));
  };
  SetRows(&*proxy, std::move(info), {copy, nullptr});
}

void SetDeviceRows(DMatrixHandle handle, std::vector<DeviceArray> const& arrays, std::int64_t n_cols) {
  auto const n_rows = arrays.empty() ? 0 : arrays[0].view.shape[0];
  auto const copy = [arrays](Context const&, float missing) {
    return DataMatrix::FromDevice(RequireDeviceMemory()->Copy(arrays, missing));
  };
  auto const view = [arrays](Context const&, float missing) {
    return MakeDeviceView(RequireDeviceMemory()->Borrow(arrays, missing));
  };
  ProxyChange const proxy(handle);
  SetRows(&*proxy, InfoOfNext(*proxy, n_rows, n_cols), {copy, view});
}

/// The batches of the caller's iterator, read through its proxy.
class CallerSource : public RowSource {
 public:
  /// may_wait: whether batches may come before their labels and before a look for infinite values (RowBatch).
  CallerSource(Iterator const& iterator, float missing, bool may_wait)
      : iterator_(iterator), missing_(missing), may_wait_(may_wait) {}
  void Restart() override {
    DropRows(iterator_.proxy);
    iterator_.reset(iterator_.handle);
  }
  bool Next(Context const& ctx, RowBatch* batch) override {
    CallerRows rows;
    if (!TakeRows(&rows, batch)) return false;
    if (rows.view != nullptr) {
      auto unsearched = may_wait_ && rows.unsearched_view != nullptr ? rows.unsearched_view(ctx, missing_) : nullptr;
      batch->may_be_infinite = unsearched != nullptr && unsearched->DenseRows() != nullptr;
      batch->rows = batch->may_be_infinite ? std::move(unsearched) : rows.view(ctx, missing_);
    } else {
      std::shared_ptr<DataMatrix const> const copy = rows.copy(ctx, missing_);
      batch->rows = copy->View();
      batch->keep = copy;
    }
    auto const names = batch->rows->Categories();
    batch->info.category_names.assign(names.begin(), names.end());
    return true;
  }
  /// Returns the next batch like Next, but as a copy of the rows.
  std::unique_ptr<DataMatrix> NextCopy(Context const& ctx) {
    CallerRows rows;
    RowBatch batch;
    if (!TakeRows(&rows, &batch)) return nullptr;
    auto copy = rows.copy(ctx, missing_);
    batch.info.category_names = copy->Info().category_names;
    *copy->MutableInfo() = std::move(batch.info);
    return copy;
  }

 private:
  /// Takes the rows that the proxy holds; it is empty afterwards. Returns false at the end.
  bool TakeRows(CallerRows* rows, RowBatch* batch) {
    if (iterator_.next(iterator_.handle) == 0) return false;
    LockHold const hold(&iterator_.proxy->lock, Access::kChange, "proxy");
    if (!HoldsRows(*iterator_.proxy)) {
      Fail(ErrorKind::kData, "the iterator announced a batch without giving its data; set the proxy's data before.");
    }
    *rows = std::exchange(iterator_.proxy->rows, {});
    if (!may_wait_) iterator_.proxy->FinishLabels();
    batch->finish_info = FinishOf(std::exchange(iterator_.proxy->labels, {}));
    batch->info = std::exchange(iterator_.proxy->proxy_info, InfoOfUnknownRows());
    ValidateNewInfo(batch->info);
    return true;
  }

  static std::function<void(MetaInfo*)> FinishOf(PendingLabels labels) {
    if (!labels.AreThere()) return {};
    auto const waiting = std::make_shared<PendingLabels>(std::move(labels));
    return [waiting](MetaInfo* info) { waiting->Finish(info); };
  }

  Iterator iterator_;
  float missing_;
  bool may_wait_;
};

}  // namespace

std::unique_ptr<DataMatrix> CopyBatches(Iterator const& iterator, CreateConfig const& settings) {
  CallerSource source(iterator, settings.missing, false);
  std::vector<std::unique_ptr<DataMatrix>> batches;
  source.Restart();
  while (auto batch = source.NextCopy(settings.ctx)) batches.push_back(std::move(batch));
  source.Restart();
  return Concatenate(settings.ctx, std::move(batches));
}

std::unique_ptr<RowSource> SourceOf(Iterator const& iterator, float missing, bool may_wait) {
  return std::make_unique<CallerSource>(iterator, missing, may_wait);
}

Iterator IteratorOf(DataIterHandle handle, DMatrixHandle proxy, DataIterResetCallback* reset,
                    XGDMatrixCallbackNext* next) {
  NotNull(reset, "reset");
  NotNull(next, "next");
  return {handle, &ProxyOf(proxy), reset, next};
}

}  // namespace kauri::c_api

using namespace kauri::c_api;  // this file defines functions of the global namespace
using kauri::Context;

int XGProxyDMatrixCreate(DMatrixHandle* out) {
  return Guard([&] { *NotNull(out, "out") = new DataHandle(nullptr); });
}

int XGProxyDMatrixSetDataDense(DMatrixHandle handle, char const* data) {
  return Guard([&] {
    auto const array = ArrayOf(data, "data");
    auto const view_of = [array](kauri::Infinities infinities) {
      return [array, infinities](Context const& ctx, float missing) {
        return kauri::MakeDenseView(array, {missing, infinities}, ctx);
      };
    };
    auto const searched = view_of(kauri::Infinities::kRefused);  // reads all values for one that is infinite
    ProxyChange const proxy(handle);
    SetRows(&*proxy, InfoOfNext(*proxy, array.shape[0], array.shape[1]),
            {[searched](Context const& ctx, float missing) {
               return kauri::DataMatrix::FromView(ctx, *searched(ctx, missing));
             },
             searched, view_of(kauri::Infinities::kTaken)});
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
      return ColumnarViewOf(columns.c_str(), missing);
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
