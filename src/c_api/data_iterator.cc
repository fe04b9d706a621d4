/// Creates matrices from iterators: in memory, as bins, or in a file.
#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "booster/boosters/device.h"
#include "booster/config/group.h"
#include "c_api/communicator.h"
#include "c_api/data_create.h"
#include "c_api/guard.h"
#include "data/bins/bin_store_maker.h"
#include "data/bins/wrapped_sources.h"
#include "data/meta_info.h"
#include "kauri/array_interface.h"
#include "kauri/data_matrix.h"
#include "kauri/device_memory.h"

namespace kauri::c_api {
namespace {

std::string TextOr(JsonConfig const& config, char const* key, char const* otherwise) {
  return config.IsGiven(key) ? config.Text(key) : otherwise;
}

using SharedData = std::shared_ptr<DataMatrix const>;

/// Returns the reference data, nullptr for none. Shared, because the iterator may free the handle.
SharedData RefOf(DataIterHandle ref) { return ref == nullptr ? nullptr : DataRead(ref)->data; }

BinStoreOptions OptionsOf(JsonConfig const& config, SharedData const& ref) {
  auto options = BinOptionsOf(config);
  options.like = ref.get();
  if (config.IsGiven("device")) {
    auto const device = FindDevice({{"device", config.Text("device")}});
    if (device.kind == DeviceKind::kCuda) options.device = device.ordinal;
  }
  options.make_on_device = [](Context const& ctx, DeviceBatches const& rows, BinRequest const& request) {
    return RequireDeviceMemory()->MakeBins(ctx, rows, request);
  };
  return options;
}

/// Creates a matrix of bins in a file.
std::unique_ptr<DataMatrix> WriteBatches(RowSource* source, JsonConfig const& config, Context const& ctx,
                                         BinStoreOptions options) {
  options.in_file = true;
  options.file_prefix = TextOr(config, "cache_prefix", "");
  auto const group = GroupOfRanks();
  auto of_group = ctx;
  of_group.collective = group.get();
  return InGroup(of_group, [&] {
    if (group == nullptr) return MakeBinnedMatrix(of_group, source, options);
    auto const steady = SayingTheSame(source);
    auto const completed = WithColumnsOfGroup(of_group, steady.get());
    return MakeBinnedMatrix(of_group, completed == nullptr ? steady.get() : completed.get(), options);
  });
}

/// Creates a matrix of bins. collective: nullptr for the bins of this process's rows only.
void MakeBins(Collective* collective, Iterator const& iterator, DataIterHandle ref, JsonConfig const& document,
              DMatrixHandle* out) {
  CreateConfig settings(document);
  settings.ctx.collective = collective;
  HandleUse const use(iterator.proxy);
  auto const like = RefOf(ref);
  auto const options = OptionsOf(document, like);
  auto const source = SourceOf(iterator, settings.missing, options.is_one_batch && collective == nullptr);
  InGroup(settings.ctx, [&] {
    auto const steady = SayingTheSame(source.get());  // the group looks at the first batch, and so does the matrix
    auto* const checked = collective == nullptr ? source.get() : steady.get();
    auto const completed = WithColumnsOfGroup(settings.ctx, checked);
    auto* const rows = completed == nullptr ? checked : completed.get();
    ReturnData(MakeBinnedMatrix(settings.ctx, rows, options), out);
  });
}

// Creates a matrix from batches of sparse rows that the caller passes to a callback, as xgboost4j does.

/// The rows of all batches so far, one below the other.
class RowsOfBatches {
 public:
  void Add(XGBoostBatchCSR const& batch) {
    auto const n_rows = CountOf(batch.size, "size");
    auto const* const offsets = NotNull(batch.offset, "offset");
    if (!std::is_sorted(offsets, offsets + n_rows + 1) || offsets[0] < 0) {
      Fail(ErrorKind::kData, "batch ", n_batches_, ": the offsets of its ", n_rows,
           " rows are invalid; expected one more offset than there are rows, ascending from 0 or more.");
    }
    auto const n_entries = offsets[n_rows] - offsets[0];
    if (n_entries > 0) {
      Append(NotNull(batch.index, "index"), n_entries, &columns_);
      Append(NotNull(batch.value, "value"), n_entries, &values_);
    }
    for (std::int64_t row = 0; row < n_rows; ++row) {
      starts_.push_back(starts_.back() + (offsets[row + 1] - offsets[row]));
    }
    if (batch.label != nullptr) Append(batch.label, n_rows, &labels_);
    if (batch.weight != nullptr) Append(batch.weight, n_rows, &weights_);
    n_cols_ = std::max(n_cols_, CountOf(batch.columns, "columns"));
    ++n_batches_;
  }

  std::unique_ptr<DataMatrix> Make(float missing) const {
    if (n_batches_ == 0) Fail(ErrorKind::kData, "XGDMatrixCreateFromDataIter: the iterator gave no batch.");
    auto const n_rows = static_cast<std::int64_t>(starts_.size()) - 1;
    RequireAllOrNone("labels", labels_, n_rows);
    RequireAllOrNone("weights", weights_, n_rows);
    auto const ctx = MakeContext(0);
    auto const view = MakeCsrView(ArrayOfAll(starts_, DType::kI64), ArrayOfAll(columns_, DType::kI32),
                                  ArrayOfAll(values_, DType::kF32), n_cols_, missing, ctx);
    auto matrix = DataMatrix::FromView(ctx, *view);
    if (!labels_.empty()) SetInfo(matrix->MutableInfo(), "label", ArrayOfAll(labels_, DType::kF32));
    if (!weights_.empty()) SetInfo(matrix->MutableInfo(), "weight", ArrayOfAll(weights_, DType::kF32));
    return matrix;
  }

  std::exception_ptr refusal;  ///< error of a batch, kept here because the caller's code is in between

 private:
  template <typename T>
  static void Append(T const* from, std::int64_t count, std::vector<T>* to) {
    to->insert(to->end(), from, from + count);
  }
  static void RequireAllOrNone(char const* what, std::vector<float> const& values, std::int64_t n_rows) {
    auto const count = static_cast<std::int64_t>(values.size());
    if (count == 0 || count == n_rows) return;
    Fail(ErrorKind::kData, "the batches have ", count, " ", what, " for ", n_rows,
         " rows; give them with every batch or with none.");
  }
  template <typename T>
  static ArrayView ArrayOfAll(std::vector<T> const& values, DType type) {
    ArrayView array;
    array.data = values.data();
    array.dtype = type;
    array.shape = {static_cast<std::int64_t>(values.size()), 1};
    array.strides = {sizeof(T), sizeof(T)};
    return array;
  }

  std::vector<std::int64_t> starts_{0};
  std::vector<int> columns_;
  std::vector<float> values_;
  std::vector<float> labels_;
  std::vector<float> weights_;
  std::int64_t n_cols_ = 0;
  std::int64_t n_batches_ = 0;
};

int AddBatch(DataHolderHandle handle, XGBoostBatchCSR batch) {
  auto& rows = *static_cast<RowsOfBatches*>(handle);
  return Guard([&] {
    try {
      rows.Add(batch);
    } catch (...) {
      rows.refusal = std::current_exception();
      throw;
    }
  });
}

}  // namespace
}  // namespace kauri::c_api

using namespace kauri::c_api;  // this file defines functions of the global namespace

int XGDMatrixCreateFromCallback(DataIterHandle iter, DMatrixHandle proxy, DataIterResetCallback* reset,
                                XGDMatrixCallbackNext* next, char const* config, DMatrixHandle* out) {
  return Guard([&] {
    NotNull(out, "out");
    JsonConfig const document(config, "XGDMatrixCreateFromCallback");
    CreateConfig const settings(document);
    auto const iterator = IteratorOf(iter, proxy, reset, next);
    HandleUse const use(iterator.proxy);
    if (TextOr(document, "cache_prefix", "").empty()) return ReturnData(CopyBatches(iterator, settings), out);
    auto options = OptionsOf(document, nullptr);
    options.for_approx = true;
    ReturnData(WriteBatches(SourceOf(iterator, settings.missing, false).get(), document, settings.ctx, options), out);
  });
}

int XGQuantileDMatrixCreateFromCallback(DataIterHandle iter, DMatrixHandle proxy, DataIterHandle ref,
                                        DataIterResetCallback* reset, XGDMatrixCallbackNext* next, char const* config,
                                        DMatrixHandle* out) {
  return Guard([&] {
    NotNull(out, "out");
    JsonConfig const document(config, "XGQuantileDMatrixCreateFromCallback");
    auto const group = GroupOfRanks();
    MakeBins(group.get(), IteratorOf(iter, proxy, reset, next), ref, document, out);
  });
}

int KauriQuantileDMatrixCreate(KauriCollectiveHandle collective, DataIterHandle iter, DMatrixHandle proxy,
                               DataIterHandle ref, DataIterResetCallback* reset, XGDMatrixCallbackNext* next,
                               char const* config, DMatrixHandle* out) {
  return Guard([&] {
    NotNull(out, "out");
    JsonConfig const document(config, "KauriQuantileDMatrixCreate");
    auto const group = CollectiveOf(collective).collective;  // shared, because the iterator may free the handle
    MakeBins(group.get(), IteratorOf(iter, proxy, reset, next), ref, document, out);
  });
}

int XGExtMemQuantileDMatrixCreateFromCallback(DataIterHandle iter, DMatrixHandle proxy, DataIterHandle ref,
                                              DataIterResetCallback* reset, XGDMatrixCallbackNext* next,
                                              char const* config, DMatrixHandle* out) {
  return Guard([&] {
    NotNull(out, "out");
    JsonConfig const document(config, "XGExtMemQuantileDMatrixCreateFromCallback");
    CreateConfig const settings(document);
    auto const iterator = IteratorOf(iter, proxy, reset, next);
    HandleUse const use(iterator.proxy);
    auto const source = SourceOf(iterator, settings.missing, false);
    auto const like = RefOf(ref);
    ReturnData(WriteBatches(source.get(), document, settings.ctx, OptionsOf(document, like)), out);
  });
}

int XGDMatrixCreateFromDataIter(DataIterHandle data_handle, XGBCallbackDataIterNext* callback,
                                char const* /*cache_info*/, float missing, DMatrixHandle* out) {
  return Guard([&] {
    NotNull(out, "out");
    NotNull(callback, "callback");
    RowsOfBatches rows;
    auto status = 1;
    while (status > 0 && rows.refusal == nullptr) status = callback(data_handle, &AddBatch, &rows);
    if (rows.refusal != nullptr) std::rethrow_exception(rows.refusal);
    if (status < 0) {
      kauri::Fail(kauri::ErrorKind::kData, "XGDMatrixCreateFromDataIter: the callback returned ", status,
                  "; expected 1 for a batch and 0 at the end.");
    }
    ReturnData(rows.Make(missing), out);
  });
}
