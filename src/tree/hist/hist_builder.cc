#include "tree/hist/hist_builder.h"

#include <limits>
#include <utility>
#include <vector>

#include "collective/reduce.h"
#include "data/bins/derived_bins.h"
#include "data/memory_budget.h"
#include "data/meta_info.h"
#include "tree/absolute_error/absolute_error_rules.h"
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

/// Checks options that pages do not support: their histograms have sums only, no counts. \throws Error(kParameter).
void RequirePaged(TreeParam const& param) {
  if (param.min_data_in_leaf <= 1) return;
  Fail(ErrorKind::kParameter, "min_data_in_leaf=", param.min_data_in_leaf,
       " needs the bins in memory, and they are in a file (external memory); use QuantileDMatrix in place of "
       "ExtMemQuantileDMatrix, ",
       "or bound leaves by min_child_weight.");
}

[[noreturn]] void FailPagedErrors() {
  Fail(ErrorKind::kParameter,
       "split_criterion=absolute_error needs the bins in memory, and they are in a file (external memory); use ",
       "QuantileDMatrix in place of ExtMemQuantileDMatrix, or split_criterion=gradient.");
}

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
    if (bins->IsInFile() && IsDistributed(ctx)) RefuseFileInGroup();
  }
  auto state = std::make_unique<HistState>(param_, budget_);
  if (data.Store() == nullptr) state->Update(ctx, data);
  return state;
}

Tree HistBuilder::Build(Context const& ctx, DataMatrix const& data, TreeTask const& task, BuildState* state,
                        Span<std::int32_t> leaf_of_row) const {
  CheckTask(task, data, leaf_of_row);
  RefuseMonotoneCategories(rules_, data.Info());
  GrowthRules const rules{param_, rules_, task.place};
  auto* const hist = static_cast<HistState*>(state);
  auto const by_errors = param_.split_criterion == TreeParam::kAbsoluteError;
  if (param_.grow_policy == TreeParam::kSymmetric) RequireSymmetric(data, param_, task.table);
  if (by_errors) RequireAbsoluteError(task.errors, data);
  auto const bins = BinsOf(data);
  auto const is_in_file = bins != nullptr && bins->IsInFile();
  auto const has_vectors = task.table.stride != 0;
  if (is_in_file && !has_vectors) {
    RequirePaged(param_);
    if (by_errors) FailPagedErrors();
    return PagedGrower(ctx, rules, task, hist->Update(ctx, bins, data.Info(), task), leaf_of_row).Grow();
  }
  auto* const kept = is_in_file ? hist->Load(ctx, *bins) : hist->Update(ctx, data);
  if (has_vectors) return GrowVectorTree(ctx, rules, task, &kept->vectors, &kept->rows, leaf_of_row);
  return HistGrower(ctx, rules, task, kept, leaf_of_row, CriterionOf(param_, sketch_)).Grow();
}

std::unique_ptr<TreeBuilder> MakeHistBuilder(ParamMap const& map) {
  auto const sketch = ParseParameters<ErrorSketchParam>(map).absolute_error_sketch;
  return std::make_unique<HistBuilder>(ParseParameters<TreeParam>(map), ParseParameters<MemoryParam>(map).Budget(),
                                       static_cast<ErrorSketchParam::Sketch>(sketch));
}

ParameterTable HistParameters() {
  auto table = DescribeParameters<MemoryParam>();
  for (auto& info : DescribeParameters<ErrorSketchParam>()) table.push_back(std::move(info));
  return table;
}

}  // namespace kauri
