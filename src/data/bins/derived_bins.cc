#include "data/bins/derived_bins.h"

#include <unistd.h>

#include <chrono>
#include <string>
#include <utility>

#include "collective/reduce.h"
#include "common/random/random.h"

namespace kauri {
namespace {

constexpr char kKind[] = "bins";

/// Returns a number that distinguishes this process from others, whose matrices may have the same ids. Children of a
/// fork differ from each other, too.
std::uint64_t ProcessNumber() {
  static auto const kStart = std::chrono::system_clock::now().time_since_epoch().count();
  return CombineKeys(static_cast<std::uint64_t>(kStart), static_cast<std::uint64_t>(::getpid()));
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

}  // namespace kauri
