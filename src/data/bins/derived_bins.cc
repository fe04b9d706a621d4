#include "data/bins/derived_bins.h"

#include <string>
#include <utility>

namespace kauri {
namespace {

constexpr char kKind[] = "bins";

}  // namespace

DerivedKey BinsKey(MetaInfo const& info, BinOptions const& options, std::vector<float> weights) {
  auto const sketch = std::to_string(static_cast<int>(options.sketch));
  return {kKind, "max_bin=" + std::to_string(options.max_bin) + ",sketch=" + sketch, std::move(weights),
          CategoricalColumns(info)};
}

std::shared_ptr<BinMatrix const> MakeBins(Context const& ctx, DataMatrix const& data, DerivedKey const& key,
                                          BinOptions const& options) {
  CutOptions const cuts{options.sketch, key.weights};
  return std::make_shared<BinMatrix const>(ctx, data, MakeQuantileCuts(ctx, data, options.max_bin, cuts));
}

std::shared_ptr<BinMatrix const> DeriveBins(Context const& ctx, DataMatrix const& data, DerivedKey const& key,
                                            BinOptions const& options) {
  return Derive<BinMatrix>(data, key, options.budget, [&] { return MakeBins(ctx, data, key, options); });
}

std::shared_ptr<BinMatrix const> LatestBins(DataMatrix const& data) {
  return std::static_pointer_cast<BinMatrix const>(data.Derived().Latest(kKind));
}

}  // namespace kauri
