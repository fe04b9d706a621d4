#include "tree/update/updaters.h"

#include <utility>
#include <vector>

#include "common/threads/parallel_for.h"
#include "tree/growth/tree_common.h"

namespace kauri {

DMLC_REGISTER_PARAMETER(RefreshParam);

namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 14;

/// Returns the sums of the leaves, [n_nodes]; other nodes are 0.
std::vector<FixedSum> SumLeaves(Context const& ctx, TreeTask const& task, Span<std::int32_t const> leaf_of_row,
                                std::size_t n_nodes) {
  std::vector<std::vector<FixedSum>> of_thread(ctx.threads);
  of_thread[0].resize(n_nodes);
  auto const n_rows = static_cast<std::int64_t>(leaf_of_row.size());
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    auto& sums = of_thread[ThreadIndex()];
    sums.resize(n_nodes);
    for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
      sums[leaf_of_row[row]] += task.gradients.pairs[row];
    }
  });
  auto total = std::move(of_thread[0]);
  for (std::size_t thread = 1; thread < of_thread.size(); ++thread) {
    for (std::size_t node = 0; node < of_thread[thread].size(); ++node) total[node] += of_thread[thread][node];
  }
  return total;
}

/// Returns the gain of a node; unlike the gain used to choose splits, it is 0 below min_child_weight.
double RefreshedGain(FixedSum sum, GainParam const& gain) {
  return HessianOf(sum, gain) < gain.min_child_weight ? 0.0 : LeafGain(sum, gain);
}

}  // namespace

/// Without decay the new value is returned unchanged, including the sign of zero.
float RefreshUpdater::LeafValue(float old, float fresh) const {
  auto const decay = refresh_.refresh_decay;
  return decay == 0.0F ? fresh : decay * old + (1.0F - decay) * fresh;
}

void RefreshUpdater::Update(Context const& ctx, TreeTask const& task, Span<std::int32_t> leaf_of_row,
                            Tree* tree) const {
  auto const gain = MakeGainParam(tree_, task.gradients.unit);
  auto const rate = LeafRate(tree_, task.place);
  auto sums = SumLeaves(ctx, task, leaf_of_row, tree->left.size());
  for (auto node = tree->NumNodes() - 1; node >= 0; --node) {  // children come after their parent
    auto const at = static_cast<std::size_t>(node);
    if (!tree->IsLeaf(node)) {
      auto const left = sums[tree->left[at]];
      auto const right = sums[tree->right[at]];
      sums[at] = left + right;
      tree->loss_change[at] =
          static_cast<float>(RefreshedGain(left, gain) + RefreshedGain(right, gain) - RefreshedGain(sums[at], gain));
    }
    auto const weight = static_cast<float>(LeafWeight(sums[at], gain));
    tree->SetNodeStatistics(node, weight, static_cast<float>(HessianOf(sums[at], gain)));
    if (tree->IsLeaf(node) && refresh_.refresh_leaf) {
      tree->SetLeafValue(node, LeafValue(tree->split_value[at], weight * rate));
    }
  }
}

void PruneUpdater::Update(Context const& ctx, TreeTask const& task, Span<std::int32_t> leaf_of_row, Tree* tree) const {
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
