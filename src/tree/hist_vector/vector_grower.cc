#include "tree/hist_vector/vector_grower.h"

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <new>
#include <utility>

#include "common/threads/parallel_for.h"
#include "kauri/table_stride.h"

namespace kauri {
namespace {

constexpr std::size_t kHistogramBytes = std::size_t{1} << 30U;  // limit for histograms kept for nodes yet to be split

/// A gradient table with row counts: after gradients and hessians each row has a 1 if it is used, and a 0 otherwise.
/// The sums of histograms then include the counts that min_data_in_leaf needs.
class CountedTable {
 public:
  /// sampled: [n_rows], or empty.
  CountedTable(Context const& ctx, GradientTableView const& table, Span<std::uint8_t const> sampled) : view_(table) {
    constexpr std::int64_t kRowsPerBlock = 1 << 12;
    auto const n_numbers = table.NumOutputs() + table.n_hessians;
    auto const n_rows = static_cast<std::int64_t>(table.values.size()) / table.stride;
    view_.stride = TableStride(n_numbers + 1);
    auto const size = static_cast<std::size_t>(n_rows * view_.stride);
    values_ = hwy::AllocateAligned<std::int32_t>(std::max(size, std::size_t{1}));  // a rank may have no rows
    if (values_ == nullptr) throw std::bad_alloc();
    ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
      for (auto row = begin; row < end; ++row) {
        auto const* from = table.values.data() + row * table.stride;
        auto* const to = values_.get() + row * view_.stride;
        std::fill(std::copy(from, from + n_numbers, to), to + view_.stride, 0);
        to[n_numbers] = sampled.empty() ? 1 : sampled[static_cast<std::size_t>(row)];
      }
    });
    view_.values = {values_.get(), size};
  }

  GradientTableView const& View() const { return view_; }

 private:
  hwy::AlignedFreeUniquePtr<std::int32_t[]> values_;
  GradientTableView view_;
};

}  // namespace

VectorGrower::VectorGrower(Context const& ctx, GrowthRules const& rules, TreeTask const& task,
                           VectorWorkspace* workspace, MemoryRows* rows, Span<std::int32_t> leaf_of_row)
    : SymmetricGrowth(ctx, rules, task, rows, leaf_of_row),
      workspace_(workspace),
      finder_(gain_, rows->Bins(), CategoryRulesOf(param_), constraints_.Signs()) {
  workspace_->Pool()->GiveBackAll();
  workspace_->SetFeatures(columns_.TreeSet());
  if (param_.grow_policy != TreeParam::kSymmetric) return;
  DrawnLevelSearch search({cuts_, gain_, static_cast<double>(param_.gamma), constraints_.Signs(), costs_},
                          PlainColumnsOf(rows->Bins()));
  LevelSums sums(rows->Bins(), task_.table, search.NumSums());
  levels_.emplace(Levels{std::move(search), std::move(sums)});
}

/// Uses the draw of the node whose id equals the depth, so that each level has one draw.
LevelSplit VectorGrower::FindLevel(Nodes const& open) {
  if (open.empty()) return {};
  auto const sum = [&](LevelConditions const& conditions, Span<VectorNode const> nodes) {
    return levels_->sums.Of(ctx_, conditions, nodes, rows_->Sampled());
  };
  return levels_->search.Find(ctx_, open, DrawOf(open.front().depth), columns_.TreeSet(), sum);
}

/// Searches the pairs. Histograms beyond the memory limit are not kept; both children of such nodes are then added up.
void VectorGrower::FindSplits(Pairs const& pairs) {
  if (levels_.has_value()) return;
  auto* const pool = workspace_->Pool();
  auto const n_kept = kHistogramBytes / pool->BufferBytes();
  for (std::size_t first = 0; first < pairs.size();) {
    auto const room = n_kept > pool->NumLent() ? n_kept - pool->NumLent() : 1;
    auto const n = std::min(pairs.size() - first, room);
    Span<typename Pairs::value_type const> const some(pairs.data() + first, n);
    workspace_->FindSplits(ctx_, task_.table, finder_, rows_->Sampled(), some);
    first += n;
    if (pool->NumLent() < n_kept) continue;
    for (auto const& pair : some) {
      Release(pair.small);
      if (pair.large != nullptr) Release(pair.large);
    }
  }
}

Tree GrowVectorTree(Context const& ctx, GrowthRules const& rules, TreeTask const& task,
                    std::unique_ptr<VectorWorkspace>* workspace, MemoryRows* rows, Span<std::int32_t> leaf_of_row) {
  std::optional<CountedTable> counted;
  auto own_task = task;
  if (rules.param.min_data_in_leaf > 1) {
    counted.emplace(ctx, task.table, task.sampled_rows);
    own_task.table = counted->View();
  }
  if (*workspace == nullptr || (*workspace)->Stride() != own_task.table.stride) {
    workspace->reset();  // before its successor takes as much memory
    *workspace = std::make_unique<VectorWorkspace>(rows->Bins(), own_task.table.stride);
  }
  return VectorGrower(ctx, rules, own_task, workspace->get(), rows, leaf_of_row).Grow();
}

}  // namespace kauri
