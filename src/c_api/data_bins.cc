/// Creates a matrix of bins from a matrix of values.
#include <limits>
#include <optional>

#include "c_api/arrays.h"
#include "c_api/data_create.h"
#include "c_api/global.h"
#include "c_api/guard.h"
#include "c_api/handles.h"
#include "data/bins/bin_store.h"
#include "data/bins/derived_bins.h"
#include "data/copies/slice.h"
#include "data/sketch/cut_weights.h"
#include "data/sketch/quantile_sketch.h"

namespace kauri::c_api {
namespace {

/// Returns the requested max_bin, or else the max_bin of a matrix of bins.
int MaxBinOf(DataMatrix const& matrix, JsonConfig const& config) {
  auto const bins = BinsOf(matrix);
  auto const max_bin = BinOptionsOf(config).max_bin.value_or(bins == nullptr ? kDefaultBins : bins->MaxBin());
  RequireMaxBin(max_bin);
  return max_bin;
}

// Returns the cuts (bin edges) of a matrix: the edges of its bins, or the cuts that training would compute from its
// values.

/// Copies for each feature minus infinity, then its cuts; or its categories.
void CopyCuts(QuantileCuts const& cuts, std::vector<bst_ulong>* indptr, std::vector<float>* values) {
  indptr->assign(1, 0);
  values->clear();
  for (std::size_t feature = 0; feature < cuts.min_values.size(); ++feature) {
    if (cuts.IsCategorical(feature)) {
      values->insert(values->end(), cuts.categories[feature].begin(), cuts.categories[feature].end());
    } else {
      values->push_back(-std::numeric_limits<float>::infinity());
      values->insert(values->end(), cuts.Of(feature), cuts.Of(feature) + cuts.NumBins(feature));
    }
    indptr->push_back(values->size());
  }
}

QuantileCuts CutsOf(DataMatrix const& data, std::optional<int> asked) {
  if (auto const bins = BinsOf(data)) {
    if (asked && *asked != bins->MaxBin()) {
      Fail(ErrorKind::kParameter, "the bins of the matrix were made with max_bin=", bins->MaxBin(), ", not ", *asked,
           "; leave max_bin out.");
    }
    return bins->Cuts();
  }
  if (auto cuts = asked ? std::nullopt : LatestCuts(data)) return *std::move(cuts);
  auto const max_bin = asked.value_or(kDefaultBins);
  RequireMaxBin(max_bin);
  auto const ctx = MakeContext(0);
  auto const weights = CutWeights(ctx, data.Info());
  return MakeQuantileCuts(ctx, data, max_bin, {nullptr, weights});
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

int XGDMatrixGetQuantileCut(DMatrixHandle handle, char const* config, char const** out_indptr, char const** out_data) {
  return Guard([&] {
    auto const options = BinOptionsOf(JsonConfig(config, "XGDMatrixGetQuantileCut"));
    DataRead const matrix(handle);
    auto& buffers = matrix->Buffers();
    CopyCuts(CutsOf(*matrix->data, options.max_bin), &buffers.shape, &buffers.floats);
    buffers.strings = {InterfaceOf(buffers.shape.data(), {buffers.shape.size()}, "<u8"),
                       InterfaceOf(buffers.floats.data(), {buffers.floats.size()}, "<f4")};
    *NotNull(out_indptr, "out_indptr") = buffers.strings[0].c_str();
    *NotNull(out_data, "out_data") = buffers.strings[1].c_str();
  });
}
