/// Matrices from iterators: in memory, as bins, or in a file.
#include "c_api/data_iterator.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "c_api/guard.h"
#include "data/bin_store_maker.h"

namespace kauri::c_api {
namespace {

bool IsGiven(JsonConfig const& config, char const* key) { return config.Has(key) && !config.Document()[key].is_null(); }

std::string TextOr(JsonConfig const& config, char const* key, char const* otherwise) {
  return IsGiven(config, key) ? config.Text(key) : otherwise;
}

void RefuseCache(JsonConfig const& config) {
  auto const prefix = TextOr(config, "cache_prefix", "");
  if (prefix.empty()) return;
  Fail(ErrorKind::kParameter, "XGDMatrixCreateFromCallback: cache_prefix='", prefix,
       "' asks for external memory, which keeps bins; call XGExtMemQuantileDMatrixCreateFromCallback, or leave it out "
       "to hold the data in memory.");
}

BinStoreOptions OptionsOf(JsonConfig const& config, DataIterHandle ref) {
  BinStoreOptions options;
  if (IsGiven(config, "max_bin")) {
    auto const max_bin = config.Integer("max_bin");
    options.max_bin = static_cast<int>(std::clamp<std::int64_t>(max_bin, -1, std::numeric_limits<int>::max()));
  }
  if (ref != nullptr) options.like = DataOf(ref).data.get();
  return options;
}

}  // namespace
}  // namespace kauri::c_api

using namespace kauri::c_api;  // NOLINT: this file defines functions of the global namespace

int XGDMatrixCreateFromCallback(DataIterHandle iter, DMatrixHandle proxy, DataIterResetCallback* reset,
                                XGDMatrixCallbackNext* next, char const* config, DMatrixHandle* out) {
  return Guard([&] {
    NotNull(out, "out");
    JsonConfig const document(config, "XGDMatrixCreateFromCallback");
    RefuseCache(document);
    ReturnData(CopyBatches(IteratorOf(iter, proxy, reset, next), CreateConfig(document)), out);
  });
}

int XGQuantileDMatrixCreateFromCallback(DataIterHandle iter, DMatrixHandle proxy, DataIterHandle ref,
                                        DataIterResetCallback* reset, XGDMatrixCallbackNext* next, char const* config,
                                        DMatrixHandle* out) {
  return Guard([&] {
    NotNull(out, "out");
    JsonConfig const document(config, "XGQuantileDMatrixCreateFromCallback");
    CreateConfig const settings(document);
    auto const source = SourceOf(IteratorOf(iter, proxy, reset, next), settings.missing);
    ReturnData(kauri::MakeBinnedMatrix(settings.ctx, source.get(), OptionsOf(document, ref)), out);
  });
}

int XGExtMemQuantileDMatrixCreateFromCallback(DataIterHandle iter, DMatrixHandle proxy, DataIterHandle ref,
                                              DataIterResetCallback* reset, XGDMatrixCallbackNext* next,
                                              char const* config, DMatrixHandle* out) {
  return Guard([&] {
    NotNull(out, "out");
    JsonConfig const document(config, "XGExtMemQuantileDMatrixCreateFromCallback");
    CreateConfig const settings(document);
    auto const source = SourceOf(IteratorOf(iter, proxy, reset, next), settings.missing);
    auto options = OptionsOf(document, ref);
    options.in_file = true;
    options.file_prefix = TextOr(document, "cache_prefix", "");
    options.budget =
        kauri::BudgetOfMegabytes(IsGiven(document, "memory_budget") ? document.Integer("memory_budget") : 0);
    ReturnData(kauri::MakeBinnedMatrix(settings.ctx, source.get(), options), out);
  });
}
