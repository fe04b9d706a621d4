#include "tree/hist/hist_builder.h"

#include <limits>
#include <utility>
#include <vector>

#include "collective/reduce.h"
#include "data/bins/bins_of_training.h"
#include "data/bins/tree_bin_options.h"
#include "data/memory_param.h"
#include "data/meta_info.h"
#include "tree/absolute_error/absolute_error_rules.h"
#include "tree/absolute_error/label_bins.h"
#include "tree/growth/tree_common.h"
#include "tree/hist/absolute_error_grower.h"
#include "tree/hist/hist_grower.h"
#include "tree/hist/paged_hist.h"
#include "tree/hist/symmetric_grower.h"
#include "tree/hist_vector/counted_table.h"
#include "tree/hist_vector/symmetric_vector_grower.h"
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

Tree GrowTable(Context const& ctx, GrowthRules const& rules, TreeTask const& task, HistData* hist,
               Span<std::int32_t> leaf_of_row) {
  auto& vectors = hist->vectors;
  if (vectors == nullptr || vectors->Stride() != task.table.stride) {
    vectors.reset();  // before its successor takes as much memory
    vectors = std::make_unique<VectorWorkspace>(hist->bins, task.table.stride);
  }
  if (rules.param.grow_policy == TreeParam::kSymmetric) {
    return SymmetricVectorGrower(ctx, rules, task, vectors.get(), &hist->rows, leaf_of_row).Grow();
  }
  return VectorGrower(ctx, rules, task, vectors.get(), &hist->rows, leaf_of_row).Grow();
}

Tree GrowVectors(Context const& ctx, GrowthRules const& rules, TreeTask const& task, HistData* hist,
                 Span<std::int32_t> leaf_of_row) {
  if (rules.param.min_data_in_leaf <= 1) return GrowTable(ctx, rules, task, hist, leaf_of_row);
  CountedTable const counted(ctx, task.table, task.sampled_rows);
  auto counted_task = task;
  counted_task.table = counted.View();
  return GrowTable(ctx, rules, counted_task, hist, leaf_of_row);
}

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

Tree GrowByErrors(Context const& ctx, GrowthRules const& rules, TreeTask const& task, HistData* hist,
                  ErrorSketch const* sketch, Span<std::int32_t> leaf_of_row) {
  if (sketch != nullptr) return sketch->Grow(ctx, rules, task, hist, leaf_of_row);
  return AbsoluteErrorGrower<LabelBinSearch>(ctx, rules, task, hist, leaf_of_row).Grow();
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
  auto const is_symmetric = param_.grow_policy == TreeParam::kSymmetric;
  auto const by_errors = param_.split_criterion == TreeParam::kAbsoluteError;
  if (is_symmetric) RequireSymmetric(data, param_, task.table);
  if (by_errors) RequireAbsoluteError(task.errors, data);
  if (auto const bins = BinsOf(data); bins != nullptr && bins->IsInFile()) {
    if (task.table.stride != 0) return GrowVectors(ctx, rules, task, hist->Load(ctx, *bins), leaf_of_row);
    RequirePaged(param_);
    if (by_errors) FailPagedErrors();
    return PagedGrower(ctx, rules, task, hist->Update(ctx, bins, data.Info(), task), leaf_of_row).Grow();
  }
  auto* const rows = hist->Update(ctx, data);
  if (task.table.stride != 0) return GrowVectors(ctx, rules, task, rows, leaf_of_row);
  if (by_errors) return GrowByErrors(ctx, rules, task, rows, errors_.get(), leaf_of_row);
  if (is_symmetric) return SymmetricGrower(ctx, rules, task, rows, leaf_of_row).Grow();
  return HistGrower(ctx, rules, task, rows, leaf_of_row).Grow();
}

std::unique_ptr<TreeBuilder> MakeHistBuilder(ParamMap const& map) {
  return std::make_unique<HistBuilder>(ParseParameters<TreeParam>(map), ParseParameters<MemoryParam>(map).Budget(),
                                       ErrorSketchOf(map));
}

ParameterTable HistParameters() {
  auto table = DescribeParameters<MemoryParam>();
  for (auto& info : ErrorSketchParameters()) table.push_back(std::move(info));
  return table;
}

}  // namespace kauri
