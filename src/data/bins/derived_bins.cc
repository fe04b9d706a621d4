#include "data/bins/derived_bins.h"

#include <chrono>
#include <string>
#include <utility>

#include "collective/checked_collective.h"
#include "collective/reduce.h"
#include "common/platform/process.h"
#include "common/random/random.h"
#include "data/categories/categories.h"
#include "data/meta_info.h"
#include "data/sketch/cut_weights.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr char kKind[] = "bins";
constexpr char kTreeCuts[] = "cuts of a tree";

/// Returns a number that distinguishes this process from others, whose matrices may have the same ids. Children of a
/// fork differ from each other, too.
std::uint64_t ProcessNumber() {
  static auto const kStart = std::chrono::system_clock::now().time_since_epoch().count();
  return CombineKeys(static_cast<std::uint64_t>(kStart), static_cast<std::uint64_t>(platform::ProcessId()));
}

/// Returns the identities of the matrices of all ranks.
std::string MatricesOfRanks(Context const& ctx, DataMatrix const& data) {
  std::string text;
  for (auto const& rank : GatherOverRanks<std::uint64_t>(ctx, {ProcessNumber(), data.Id()})) {
    for (auto const word : rank) text += std::to_string(word) + ' ';
  }
  return text;
}

}  // namespace

DerivedKey BinsKey(MetaInfo const& info, BinOptions const& options, std::vector<float> weights) {
  return {kKind, "max_bin=" + std::to_string(options.max_bin) + ",sketch=" + KeyOf(options.sketch), std::move(weights),
          CategoricalColumns(info)};
}

std::shared_ptr<BinMatrix const> MakeBins(Context const& ctx, DataMatrix const& data, DerivedKey const& key,
                                          BinOptions const& options) {
  CutOptions const cuts{options.sketch, key.weights};
  return std::make_shared<BinMatrix const>(ctx, data, MakeQuantileCuts(ctx, data, options.max_bin, cuts));
}

std::shared_ptr<BinMatrix const> DeriveBins(Context const& ctx, DataMatrix const& data, DerivedKey const& key,
                                            BinOptions const& options) {
  auto const make = [&] { return MakeBins(ctx, data, key, options); };
  if (!IsDistributed(ctx)) return Derive<BinMatrix>(data, key, options.budget, make);
  auto of_group = key;
  of_group.settings += ",ranks=" + MatricesOfRanks(ctx, data);
  return DeriveInGroup<BinMatrix>(ctx, data, of_group, options.budget, make);
}

std::shared_ptr<BinMatrix const> LatestBins(DataMatrix const& data) {
  return std::static_pointer_cast<BinMatrix const>(data.Derived().Latest(kKind));
}

namespace {

/// The cuts of a single tree.
struct TreeCuts {
  QuantileCuts cuts;
};

std::int64_t BytesOfCuts(QuantileCuts const& cuts) {
  auto const n_floats = cuts.values.size() + cuts.min_values.size() + cuts.first_values.size();
  return static_cast<std::int64_t>((n_floats + cuts.feature_begin.size()) * sizeof(float));
}

}  // namespace

void RememberTreeCuts(DataMatrix const& data, QuantileCuts const& cuts, MemoryBudget const& budget) {
  data.Derived().Replace({kTreeCuts}, budget, [&]() -> DerivedEntry {
    return {std::make_shared<TreeCuts const>(TreeCuts{cuts}), BytesOfCuts(cuts)};
  });
}

std::optional<QuantileCuts> LatestCuts(DataMatrix const& data) {
  auto const [kind, value] = data.Derived().LatestOf({kKind, kTreeCuts});
  if (value == nullptr) return std::nullopt;
  if (kind == kTreeCuts) return static_cast<TreeCuts const*>(value.get())->cuts;
  return static_cast<BinMatrix const*>(value.get())->Cuts();
}

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

void RequireSameBins(Context const& ctx, BinStore const* bins) {
  auto const* const place = bins == nullptr    ? "values"
                            : bins->IsInFile() ? "bins in a file (external memory)"
                                               : "bins (QuantileDMatrix)";
  RequireSameOnRanks(ctx, "how rows are kept", place);
  if (bins != nullptr) RequireSameLayout(ctx, bins->Layout());
}

bool BinsOfTraining::IsStale(Context const& ctx, DataMatrix const& data) {
  if (BinsOf(data) != nullptr || !IsTrueOnARank(ctx, revision_ != data.InfoRevision())) return false;
  auto const key = BinsKey(data.Info(), options_, CutWeights(ctx, data.Info()));
  if (IsTrueOnARank(ctx, !(key == key_))) return true;
  revision_ = data.InfoRevision();
  return false;
}

std::shared_ptr<BinMatrix const> BinsOfTraining::Make(Context const& ctx, DataMatrix const& data) {
  auto const bins = BinsOf(data);
  RequireSameBins(ctx, bins.get());
  if (bins != nullptr) return bins->InMemory();
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

void CheckSketchOfBins(SketchChoice const& sketch) {
  if (sketch == nullptr) return;
  Fail(ErrorKind::kParameter, "sketch=", sketch->Name(),
       " sets how the bins of a DMatrix are cut, but these data were cut into bins when their matrix was made; ",
       "train on a DMatrix of the values, or leave sketch out.");
}

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
