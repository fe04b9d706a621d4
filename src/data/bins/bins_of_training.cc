#include "data/bins/bins_of_training.h"

#include "data/categories/categories.h"
#include "data/meta_info.h"
#include "kauri/error.h"

namespace kauri {

bool BinsOfTraining::IsStale(DataMatrix const& data) {
  if (BinsOf(data) != nullptr || revision_ == data.InfoRevision()) return false;
  if (!(BinsKey(data.Info(), options_, CutWeights(data.Info())) == key_)) return true;
  revision_ = data.InfoRevision();
  return false;
}

std::shared_ptr<BinMatrix const> BinsOfTraining::Make(Context const& ctx, DataMatrix const& data) {
  if (auto const bins = BinsOf(data)) return bins->InMemory();
  key_ = BinsKey(data.Info(), options_, CutWeights(data.Info()));
  revision_ = data.InfoRevision();
  return DeriveBins(ctx, data, key_, options_);
}

void CheckBins(BinStore const& bins, MetaInfo const& info, int max_bin) {
  if (bins.MaxBin() != max_bin) {
    Fail(ErrorKind::kParameter, "max_bin=", max_bin, ", but the data were cut into bins with max_bin=", bins.MaxBin(),
         "; `max_bin` must be consistent: train with that, or make the matrix with max_bin=", max_bin, ".");
  }
  for (std::size_t feature = 0; feature < info.feature_types.size(); ++feature) {
    if (IsCategorical(info, feature) == bins.Layout().Cuts().IsCategorical(feature)) continue;
    Fail(ErrorKind::kData, "column ", feature, " has the type '", info.feature_types[feature],
         "', which it did not have when its bins were made. Give feature_types when the matrix is made.");
  }
}

}  // namespace kauri
