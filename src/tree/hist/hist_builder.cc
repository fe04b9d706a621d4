#include "tree/hist/hist_builder.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "collective/reduce.h"
#include "data/bins/bin_store.h"
#include "data/bins/derived_bins.h"
#include "data/memory_budget.h"
#include "data/meta_info.h"
#include "tree/absolute_error/error_criterion.h"
#include "tree/absolute_error/label_bins.h"
#include "tree/growth/tree_common.h"
#include "tree/hist/hist_grower.h"
#include "tree/hist/paged_hist.h"
#include "tree/hist_vector/vector_grower.h"

namespace kauri {
namespace {

class HistState : public BuildState {
 public:
  HistState(TreeParam const& param, MemoryBudget const& budget) : bins_(TreeBinOptions(param, budget)) {}

  /// Returns bins in memory. In a distributed run, all ranks make bins if any rank has to.
  HistData* Update(Context const& ctx, DataMatrix const& matrix) {
    auto const is_new = MaxOverRanks(ctx, data_ == nullptr ? 1 : 0) != 0;
    if (is_new || bins_.IsStale(ctx, matrix)) {
      data_.reset();  // before its successor takes as much memory
      data_ = std::make_unique<HistData>(bins_.Make(ctx, matrix));
    }
    return data_.get();
  }

  /// Does the same for bins in a file. Their memory is planned for the first tree, by all ranks together.
  PagedHist* Update(Context const& ctx, std::shared_ptr<BinStore const> const& bins, MetaInfo const& info,
                    TreeTask const& task) {
    if (MaxOverRanks(ctx, pages_ == nullptr ? 1 : 0) != 0) {
      RequireSameBins(ctx, bins.get());
      TrainingSize const size{BudgetOf(*bins), task.place.n_outputs, BytesOf(info), !task.sampled_rows.empty()};
      pages_ = std::make_unique<PagedHist>(bins, PlanPages(ctx, *bins, size));
    }
    return pages_.get();
  }

  /// Loads bins of a file into memory: vector leaves need the sums of all outputs at once, for which pages have no
  /// room.
  HistData* Load(Context const& ctx, BinStore const& bins) {
    if (MaxOverRanks(ctx, data_ == nullptr ? 1 : 0) != 0) {
      RequireSameBins(ctx, &bins);
      data_ = std::make_unique<HistData>(LoadBins(ctx, bins, BudgetOf(bins)));
    }
    return data_.get();
  }

 private:
  MemoryBudget BudgetOf(BinStore const& bins) const {
    auto const& budget = bins_.Options().budget;
    return budget.IsLimited() ? budget : bins.Budget();
  }

  BinsOfTraining bins_;
  std::unique_ptr<HistData> data_;
  std::unique_ptr<PagedHist> pages_;
};

/// Returns the function that makes the criterion of a tree; nullptr for the gains of gradients.
MakeCriterion CriterionOf(TreeParam const& param, ErrorSketch const* sketch) {
  if (param.split_criterion != TreeParam::kAbsoluteError) return nullptr;
  return sketch == nullptr ? ErrorCriterion<LabelBinSearch>::Make : sketch->Criterion();
}

}  // namespace

std::string HistBuilder::StateKey() const {
  return "hist,max_bin=" + std::to_string(param_.max_bin) + ",sketch=" + KeyOf(SketchOf(param_)) +
         (budget_.IsLimited() ? ",memory_budget=" + std::to_string(budget_.bytes) : std::string());
}

std::unique_ptr<BuildState> HistBuilder::MakeState(Context const& ctx, DataMatrix const& data) const {
  if (data.NumRows() > std::numeric_limits<std::uint32_t>::max()) {
    Fail(ErrorKind::kData, "tree_method=hist takes at most 4294967295 rows; the data have ", data.NumRows(),
         ". Train on a sample of them.");
  }
  if (auto const bins = BinsOf(data)) {
    CheckBins(*bins, data.Info(), param_.max_bin);
    CheckSketchOfBins(SketchOf(param_));
  }
  auto state = std::make_unique<HistState>(param_, budget_);
  if (data.Store() == nullptr) state->Update(ctx, data);
  return state;
}

Tree HistBuilder::Build(Context const& ctx, DataMatrix const& data, TreeTask const& task, BuildState* state,
                        Span<std::int32_t> leaf_of_row) const {
  CheckTask(task, data, leaf_of_row);
  GrowthRules const rules{param_, rules_, task.place};
  auto* const hist = static_cast<HistState*>(state);
  auto const bins = BinsOf(data);
  auto const is_in_file = bins != nullptr && bins->IsInFile();
  auto const has_vectors = task.table.stride != 0;
  if (is_in_file && !has_vectors) {
    return PagedGrower(ctx, rules, task, hist->Update(ctx, bins, data.Info(), task), leaf_of_row).Grow();
  }
  auto* const kept = is_in_file ? hist->Load(ctx, *bins) : hist->Update(ctx, data);
  if (has_vectors) return GrowVectorTree(ctx, rules, task, &kept->vectors, &kept->rows, leaf_of_row);
  return HistGrower(ctx, rules, task, kept, leaf_of_row, CriterionOf(param_, errors_.get())).Grow();
}

std::unique_ptr<TreeBuilder> MakeHistBuilder(TrainingParams const& params) {
  return std::make_unique<HistBuilder>(params.tree, ParseParameters<MemoryParam>(params.all).Budget(),
                                       ErrorSketchOf(params.all));
}

Capabilities HistSupports() {
  return {{Feature::kHostMemory,       Feature::kRanks,         Feature::kPathSmoothing,
           Feature::kMonotone,         Feature::kInteractions,  Feature::kFeatureCosts,
           Feature::kGainNoise,        Feature::kAbsoluteError, Feature::kMomentSketch,
           Feature::kRandomThresholds, Feature::kMinDataInLeaf, Feature::kMinDataPerGroup,
           Feature::kMaxLeaves,        Feature::kLossGuide,     Feature::kSymmetricTrees,
           Feature::kVectorLeaves,     Feature::kCategories,    Feature::kBins,
           Feature::kApproxBins,       Feature::kPages,         Feature::kRoundedGradients},
          {{Feature::kSymmetricTrees, Feature::kPages}, {Feature::kAbsoluteError, Feature::kPages}}};
}

ParameterTable HistParameters() {
  auto table = DescribeParameters<MemoryParam>();
  for (auto& info : ErrorSketchParameters()) table.push_back(std::move(info));
  return table;
}

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
  return "approx,max_bin=" + std::to_string(param_.max_bin) + ",sketch=" + KeyOf(SketchOf(param_));
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
