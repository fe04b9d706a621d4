#include "data/bins/bins_of_training.h"

#include "collective/checked_collective.h"
#include "collective/reduce.h"
#include "data/categories/categories.h"
#include "data/meta_info.h"
#include "data/sketch/cut_weights.h"
#include "kauri/error.h"

namespace kauri {
namespace {

bool IsTrueOnARank(Context const& ctx, bool here) { return MaxOverRanks(ctx, here ? 1 : 0) != 0; }

/// Requires that all ranks have the same layout of bins, because their histograms are added up cell by cell.
void RequireSameLayout(Context const& ctx, BinMatrix const& layout) {
  auto const digest = layout.LayoutDigest();
  if (!IsDistributed(ctx) || MaxOverRanks(ctx, digest) == (~MaxOverRanks(ctx, ~std::uint64_t{digest}))) return;
  Fail(ErrorKind::kData,
       "the bins of this matrix differ from the bins of other ranks; make the matrix on all ranks together, ",
       "as one group, with one max_bin (KauriQuantileDMatrixCreate).");
}

}  // namespace

bool BinsOfTraining::IsStale(Context const& ctx, DataMatrix const& data) {
  if (BinsOf(data) != nullptr || !IsTrueOnARank(ctx, revision_ != data.InfoRevision())) return false;
  auto const key = BinsKey(data.Info(), options_, CutWeights(ctx, data.Info()));
  if (IsTrueOnARank(ctx, !(key == key_))) return true;
  revision_ = data.InfoRevision();
  return false;
}

std::shared_ptr<BinMatrix const> BinsOfTraining::Make(Context const& ctx, DataMatrix const& data) {
  auto const bins = BinsOf(data);
  RequireSameOnRanks(ctx, "how rows are kept", bins == nullptr ? "values" : "bins (QuantileDMatrix)");
  if (bins != nullptr) {
    RequireSameLayout(ctx, bins->Layout());
    return bins->InMemory();
  }
  key_ = BinsKey(data.Info(), options_, CutWeights(ctx, data.Info()));
  revision_ = data.InfoRevision();
  return DeriveBins(ctx, data, key_, options_);
}

namespace {

/// Returns whether no row had a value in the column when its bins were made: JoinCuts sets no first value then.
bool IsEmpty(QuantileCuts const& cuts, std::size_t feature) {
  return cuts.NumBins(feature) == 1 && cuts.first_values[feature] == cuts.min_values[feature];
}

}  // namespace

void CheckBins(BinStore const& bins, MetaInfo const& info, int max_bin) {
  if (bins.MaxBin() != max_bin && bins.IsForApprox()) {
    Fail(ErrorKind::kParameter, "max_bin=", max_bin, ", but a DMatrix in external memory has ", bins.MaxBin(),
         " bins, which are cut when it is made and which tree_method=approx takes for every tree; leave max_bin out, ",
         "or train tree_method=hist on an ExtMemQuantileDMatrix that is made with max_bin=", max_bin, ".");
  }
  if (bins.MaxBin() != max_bin) {
    Fail(ErrorKind::kParameter, "max_bin=", max_bin, ", but the data were cut into bins with max_bin=", bins.MaxBin(),
         "; `max_bin` must be consistent: train with that, or make the matrix with max_bin=", max_bin, ".");
  }
  for (std::size_t feature = 0; feature < static_cast<std::size_t>(bins.Cuts().NumCols()); ++feature) {
    if (IsCategorical(info, feature) == bins.Cuts().IsCategorical(feature)) continue;
    if (IsEmpty(bins.Cuts(), feature)) continue;  // any type fits a column without values
    auto const has_type = feature < info.feature_types.size();
    Fail(ErrorKind::kData, "column ", feature,
         has_type ? " has the type '" + info.feature_types[feature] + "'" : " has no type",
         ", but had another type when its bins were made. Give feature_types when the matrix is made.");
  }
}

}  // namespace kauri
