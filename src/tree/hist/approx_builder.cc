#include "tree/hist/approx_builder.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "collective/reduce.h"
#include "data/bins/bin_store.h"
#include "data/bins/derived_bins.h"
#include "data/memory_budget.h"
#include "tree/growth/tree_common.h"
#include "tree/hist/hist_grower.h"

namespace kauri {
namespace {

struct ApproxState : BuildState {
  DerivedKey key;  ///< key of the bins in `data`
  std::unique_ptr<HistData> data;
};

/// Returns the hessians of the rows up to a common factor, which quantiles ignore; 0 for rows that were not sampled.
std::vector<float> HessiansOf(TreeTask const& task) {
  std::vector<float> hessians;
  hessians.reserve(task.gradients.pairs.size());
  for (auto const& pair : task.gradients.pairs) hessians.push_back(static_cast<float>(pair.hessian));
  for (std::size_t row = 0; row < task.sampled_rows.size(); ++row) {
    if (task.sampled_rows[row] == 0) hessians[row] = 0.0F;
  }
  return hessians;
}

/// Returns whether all hessians are equal, as for squared error and for many first rounds. The next training will then
/// need the same bins.
bool AreAlike(std::vector<float> const& hessians) {
  return std::adjacent_find(hessians.begin(), hessians.end(), std::not_equal_to<>()) == hessians.end();
}

}  // namespace

std::string ApproxBuilder::StateKey() const {
  return "approx,max_bin=" + std::to_string(param_.max_bin) + ",sketch=" + SketchOptionsOf(param_).Key();
}

std::unique_ptr<BuildState> ApproxBuilder::MakeState(Context const& ctx, DataMatrix const& data) const {
  if (auto const bins = BinsOf(data); bins != nullptr && bins->IsForApprox()) return hist_.MakeState(ctx, data);
  if (data.NumRows() > std::numeric_limits<std::uint32_t>::max()) {
    Fail(ErrorKind::kData, "tree_method=approx takes at most 4294967295 rows; the data have ", data.NumRows(),
         ". Train on a sample of them.");
  }
  return std::make_unique<ApproxState>();
}

Tree ApproxBuilder::Build(Context const& ctx, DataMatrix const& data, TreeTask const& task, BuildState* state,
                          Span<std::int32_t> leaf_of_row) const {
  if (BinsOf(data) != nullptr) return hist_.Build(ctx, data, task, state, leaf_of_row);
  CheckTask(task, data, leaf_of_row);
  auto* const approx = static_cast<ApproxState*>(state);
  auto const options = TreeBinOptions(param_, budget_);
  auto key = BinsKey(data.Info(), options, HessiansOf(task));
  auto const is_stale = approx->data == nullptr || !(key == approx->key);
  if (MaxOverRanks(ctx, is_stale ? 1 : 0) != 0) {
    approx->data.reset();  // before its successor takes as much memory
    approx->key = std::move(key);
    auto const may_return = MaxOverRanks(ctx, AreAlike(approx->key.weights) ? 0 : 1) == 0;
    auto const bins =
        may_return ? DeriveBins(ctx, data, approx->key, options) : MakeBins(ctx, data, approx->key, options);
    if (!may_return) RememberTreeCuts(data, bins->Cuts(), options.budget);
    approx->data = std::make_unique<HistData>(bins);
  }
  return HistGrower(ctx, {param_, rules_, task.place}, task, approx->data.get(), leaf_of_row).Grow();
}

std::unique_ptr<TreeBuilder> MakeApproxBuilder(TrainingParams const& params) {
  return std::make_unique<ApproxBuilder>(params.tree, ParseParameters<MemoryParam>(params.all).Budget());
}

Capabilities ApproxSupports() {
  return {{Feature::kHostMemory, Feature::kRanks, Feature::kPathSmoothing, Feature::kMonotone, Feature::kInteractions,
           Feature::kFeatureCosts, Feature::kGainNoise, Feature::kRandomThresholds, Feature::kMinDataInLeaf,
           Feature::kMinDataPerGroup, Feature::kMaxLeaves, Feature::kLossGuide, Feature::kCategories,
           Feature::kApproxBins, Feature::kPages}};
}

}  // namespace kauri
