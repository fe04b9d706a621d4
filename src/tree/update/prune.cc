#include "tree/update/prune.h"

#include "common/threads/parallel_for.h"
#include "tree/growth/tree_common.h"

namespace kauri {

void PruneUpdater::Update(Context const& ctx, TreeTask const& task, Span<std::int32_t> leaf_of_row, Tree* tree) const {
  constexpr std::int64_t kRowsPerBlock = 1 << 14;
  auto const n_nodes = tree->NumNodes();
  auto const new_id = PruneTree(param_.gamma, LeafRate(param_, task.place), tree, param_.max_depth);
  if (tree->NumNodes() == n_nodes) return;
  auto const n_rows = static_cast<std::int64_t>(leaf_of_row.size());
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
      leaf_of_row[row] = new_id[leaf_of_row[row]];
    }
  });
}

}  // namespace kauri
