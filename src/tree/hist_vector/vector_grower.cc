#include "tree/hist_vector/vector_grower.h"

#include <algorithm>
#include <utility>

#include "collective/reduce.h"
#include "common/threads/parallel_for.h"
#include "tree/growth/noise_deviation.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 14;
constexpr std::size_t kHistogramBytes = std::size_t{1} << 30U;  // limit for histograms kept for nodes yet to be split

/// Returns the sums over all rows of all ranks. Rows that were not sampled are zeros.
std::vector<std::int64_t> SumTable(Context const& ctx, GradientTableView const& table) {
  auto const n_rows = static_cast<std::int64_t>(table.values.size()) / table.stride;
  std::vector<std::vector<std::int64_t>> of_block(NumBlocks(n_rows, kRowsPerBlock));
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
    std::vector<std::int64_t> sums(table.stride, 0);
    for (auto row = begin; row < end; ++row) {
      auto const* values = table.values.data() + row * table.stride;
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += values[i];
    }
    of_block[block] = std::move(sums);
  });
  std::vector<std::int64_t> total(table.stride, 0);
  for (auto const& sums : of_block) AddSums(sums.data(), sums.size(), total.data());
  SumOverRanks(ctx, total);
  return total;
}

}  // namespace

VectorGrower::VectorGrower(Context const& ctx, GrowthRules const& rules, TreeTask const& task,
                           VectorWorkspace* workspace, GrowingRows* rows, Span<std::int32_t> leaf_of_row)
    : HostHistGrowth(ctx, rules, task, workspace->Bins(), rows, leaf_of_row),
      workspace_(workspace),
      finder_(gain_, bins_, CategoryRulesOf(param_), constraints_.Signs()) {
  workspace_->Pool()->GiveBackAll();
  workspace_->SetFeatures(columns_.TreeSet());
}

VectorTotal VectorGrower::MakeRoot() {
  auto sums = SumTable(ctx_, task_.table);
  if (HasNoise()) SetNoise(task_.place, SumSquares(ctx_, task_), sums);
  return SetRoot(std::move(sums));
}

/// Searches the pairs. Histograms beyond the memory limit are not kept; both children of such nodes are then added up.
void VectorGrower::FindSplits(Pairs const& pairs) {
  auto* const pool = workspace_->Pool();
  auto const n_kept = kHistogramBytes / pool->BufferBytes();
  for (std::size_t first = 0; first < pairs.size();) {
    auto const room = n_kept > pool->NumLent() ? n_kept - pool->NumLent() : 1;
    auto const n = std::min(pairs.size() - first, room);
    Span<typename Pairs::value_type const> const some(pairs.data() + first, n);
    workspace_->FindSplits(ctx_, task_.table, finder_, rows_->used, some);
    first += n;
    if (pool->NumLent() < n_kept) continue;
    for (auto const& pair : some) {
      Release(pair.small);
      if (pair.large != nullptr) Release(pair.large);
    }
  }
}

}  // namespace kauri
