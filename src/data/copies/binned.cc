#include "data/copies/binned.h"

#include "data/bins/bin_store.h"
#include "data/bins/bins_of_training.h"
#include "data/bins/derived_bins.h"
#include "data/meta_info.h"
#include "data/sketch/cut_weights.h"

namespace kauri {
namespace {

std::shared_ptr<BinStore const> StoreOf(Context const& ctx, DataMatrix const& matrix, int max_bin) {
  if (auto bins = BinsOf(matrix)) {
    CheckBins(*bins, matrix.Info(), max_bin);
    return bins;
  }
  BinOptions options;
  options.max_bin = max_bin;
  auto const key = BinsKey(matrix.Info(), options, CutWeights(ctx, matrix.Info()));
  return std::make_shared<BinStore const>(DeriveBins(ctx, matrix, key, options), max_bin);
}

}  // namespace

std::unique_ptr<DataMatrix> WithBins(Context const& ctx, DataMatrix const& matrix, int max_bin) {
  CheckQueries(matrix.Info());
  auto out =
      DataMatrix::FromStore(StoreOf(ctx, matrix, max_bin), matrix.NumRows(), matrix.NumCols(), matrix.NumEntries());
  *out->MutableInfo() = matrix.Info();
  return out;
}

}  // namespace kauri
