#include "tree/hist/hist_builder.h"

#include <limits>
#include <utility>
#include <vector>

#include "collective/reduce.h"
#include "data/bins/derived_bins.h"
#include "data/memory_budget.h"
#include "data/meta_info.h"
#include "tree/absolute_error/error_criterion.h"
#include "tree/absolute_error/label_bins.h"
#include "tree/growth/tree_common.h"
#include "tree/hist/hist_grower.h"
#include "tree/hist/paged_hist.h"
#include "tree/hist_vector/vector_grower.h"
#include "tree/research/label_moments.h"

namespace kauri {

DMLC_REGISTER_PARAMETER(ErrorSketchParam);

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

  /// Does the same for bins in a file. Their memory is planned for the first tree.
  PagedHist* Update(Context const& ctx, std::shared_ptr<BinStore const> const& bins, MetaInfo const& info,
                    TreeTask const& task) {
    if (pages_ == nullptr) {
      TrainingSize const size{BudgetOf(*bins), task.place.n_outputs, BytesOf(info), !task.sampled_rows.empty()};
      pages_ = std::make_unique<PagedHist>(bins, PlanPages(ctx, *bins, size));
    }
    return pages_.get();
  }

  /// Loads bins of a file into memory: vector leaves need the sums of all outputs at once, for which pages have no
  /// room.
  HistData* Load(Context const& ctx, BinStore const& bins) {
    if (data_ == nullptr) data_ = std::make_unique<HistData>(LoadBins(ctx, bins, BudgetOf(bins)));
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
MakeCriterion CriterionOf(TreeParam const& param, ErrorSketchParam::Sketch sketch) {
  if (param.split_criterion != TreeParam::kAbsoluteError) return nullptr;
  if (sketch == ErrorSketchParam::kMoments) return ErrorCriterion<LabelMomentSearch>::Make;
  return ErrorCriterion<LabelBinSearch>::Make;
}

}  // namespace

std::string HistBuilder::StateKey() const {
  return "hist,max_bin=" + std::to_string(param_.max_bin) + ",sketch=" + SketchOptionsOf(param_).Key() +
         (budget_.IsLimited() ? ",memory_budget=" + std::to_string(budget_.bytes) : std::string());
}

std::unique_ptr<BuildState> HistBuilder::MakeState(Context const& ctx, DataMatrix const& data) const {
  if (data.NumRows() > std::numeric_limits<std::uint32_t>::max()) {
    Fail(ErrorKind::kData, "tree_method=hist takes at most 4294967295 rows; the data have ", data.NumRows(),
         ". Train on a sample of them.");
  }
  if (auto const bins = BinsOf(data)) {
    CheckBins(*bins, data.Info(), param_.max_bin);
    CheckSketchOfBins(param_);
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
  return HistGrower(ctx, rules, task, kept, leaf_of_row, CriterionOf(param_, sketch_)).Grow();
}

std::unique_ptr<TreeBuilder> MakeHistBuilder(TrainingParams const& params) {
  auto const sketch = ParseParameters<ErrorSketchParam>(params.all).absolute_error_sketch;
  return std::make_unique<HistBuilder>(params.tree, ParseParameters<MemoryParam>(params.all).Budget(),
                                       static_cast<ErrorSketchParam::Sketch>(sketch));
}

Capabilities HistSupports() {
  return {{Feature::kHostMemory,       Feature::kRanks,         Feature::kPathSmoothing,
           Feature::kMonotone,         Feature::kInteractions,  Feature::kFeatureCosts,
           Feature::kGainNoise,        Feature::kAbsoluteError, Feature::kMomentSketch,
           Feature::kRandomThresholds, Feature::kMinDataInLeaf, Feature::kMinDataPerGroup,
           Feature::kMaxLeaves,        Feature::kLossGuide,     Feature::kSymmetricTrees,
           Feature::kVectorLeaves,     Feature::kCategories,    Feature::kBins,
           Feature::kApproxBins,       Feature::kPages},
          {{Feature::kSymmetricTrees, Feature::kPages}, {Feature::kAbsoluteError, Feature::kPages}}};
}

ParameterTable HistParameters() {
  auto table = DescribeParameters<MemoryParam>();
  for (auto& info : DescribeParameters<ErrorSketchParam>()) table.push_back(std::move(info));
  return table;
}

}  // namespace kauri
