/// Creates a matrix of bins from a matrix of values.
#include "c_api/data_create.h"
#include "c_api/guard.h"
#include "data/bins/bin_store.h"
#include "data/copies/binned.h"

namespace kauri::c_api {
namespace {

/// Returns the requested max_bin, or else the max_bin of a matrix of bins.
int MaxBinOf(DataMatrix const& matrix, JsonConfig const& config) {
  auto const bins = BinsOf(matrix);
  auto const max_bin = BinOptionsOf(config).max_bin.value_or(bins == nullptr ? kDefaultBins : bins->MaxBin());
  RequireMaxBin(max_bin);
  return max_bin;
}

}  // namespace
}  // namespace kauri::c_api

using namespace kauri::c_api;  // this file defines functions of the global namespace

int KauriDMatrixBins(DMatrixHandle handle, char const* config, DMatrixHandle* out) {
  return Guard([&] {
    NotNull(out, "out");
    JsonConfig const settings(config, "KauriDMatrixBins");
    DataRead const held(handle);
    auto const& matrix = *held->data;
    auto const ctx = MakeContext(settings.IntegerOr("nthread", 0));
    ReturnData(WithBins(ctx, matrix, MaxBinOf(matrix, settings)), out);
  });
}
