/// Creates matrices from iterators: in memory, as bins, or in a file.
#include "c_api/data_iterator.h"

#include <string>

#include "booster/config/group.h"
#include "c_api/guard.h"
#include "data/bins/bin_store_maker.h"
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
  return MakeBinnedMatrix(ctx, source, options);
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
  InGroup(settings.ctx, [&] { ReturnData(MakeBinnedMatrix(settings.ctx, source.get(), options), out); });
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
    MakeBins(nullptr, IteratorOf(iter, proxy, reset, next), ref, document, out);
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
