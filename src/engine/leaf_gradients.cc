#include "engine/leaf_gradients.h"

#include <algorithm>

#include "collective/reduce.h"
#include "common/memory_size.h"
#include "common/threads/parallel_for.h"
#include "engine/gradient_table.h"
#include "engine/training_data.h"
#include "kauri/error.h"
#include "tree/growth/tree_common.h"
#include "tree/hist_vector/vector_gain.h"
#include "tree/sampling/gradient_sampling.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 14;

/// Returns the pairs in fixed point, each divided by the probability of its row; zeros for rows that were not drawn.
GradientTable TableOf(Context const& ctx, LeafSums const& leaves) {
  GradientTable table;
  auto const& used = leaves.rows.used;
  auto const& chances = leaves.rows.chances;
  if (chances.empty()) {
    table.Quantise(ctx, leaves.gradients, leaves.n_outputs, used);
    return table;
  }
  std::vector<GradientPair> scaled(leaves.gradients.begin(), leaves.gradients.end());
  auto const n_rows = static_cast<std::int64_t>(leaves.leaf_of_row.size());
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (auto row = begin; row < end; ++row) {
      if (!used.empty() && used[row] == 0) continue;
      auto* const pairs = scaled.data() + row * leaves.n_outputs;
      std::transform(pairs, pairs + leaves.n_outputs, pairs,
                     [&](GradientPair pair) { return DivideByChance(pair, chances[row]); });
    }
  });
  table.Quantise(ctx, scaled, leaves.n_outputs, used);
  return table;
}

/// Returns the sums of the leaves, [n_nodes, stride]; sums of other nodes are 0. A block has at least as many rows as
/// the tree has nodes, so that the sums of all blocks take at most twice the memory of the table.
std::vector<std::int64_t> SumByLeaf(Context const& ctx, GradientTableView const& table,
                                    Span<std::int32_t const> leaf_of_row, std::int64_t n_nodes) {
  auto const n_rows = static_cast<std::int64_t>(leaf_of_row.size());
  auto const rows_per_block = std::max(kRowsPerBlock, n_nodes);
  auto const n_sums = SizeInMemory(n_nodes * table.stride);
  std::vector<std::vector<std::int64_t>> of_block(NumBlocks(n_rows, rows_per_block));
  ParallelForBlocks(ctx, n_rows, rows_per_block, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
    std::vector<std::int64_t> sums(n_sums, 0);
    for (auto row = begin; row < end; ++row) {
      auto const* values = table.values.data() + row * table.stride;
      auto* const to = sums.data() + leaf_of_row[row] * table.stride;
      for (std::int64_t i = 0; i < table.stride; ++i) to[i] += values[i];
    }
    of_block[block] = std::move(sums);
  });
  std::vector<std::int64_t> total(n_sums, 0);
  for (auto const& sums : of_block) {
    for (std::size_t i = 0; i < n_sums; ++i) total[i] += sums[i];
  }
  SumOverRanks(ctx, total);
  return total;
}

}  // namespace

void CheckSplitGradients(SplitGradients const& gradients, std::int64_t n_rows, std::int64_t n_outputs) {
  CheckGradientCount(static_cast<std::int64_t>(gradients.leaves.size()), n_rows, n_outputs);
  auto const n_split_outputs = gradients.n_split_outputs;
  if (n_split_outputs < 1 || n_split_outputs > n_outputs) {
    Fail(ErrorKind::kData, "the gradients for splits have ", n_split_outputs, " columns for ", n_outputs,
         " outputs; reduce them to 1 to ", n_outputs, " columns.");
  }
  CheckGradientCount(static_cast<std::int64_t>(gradients.splits.size()), n_rows, n_split_outputs);
}

void SetLeafValues(Context const& ctx, RoundTree const& round, LeafSums const& leaves, Tree* tree) {
  auto const table = TableOf(ctx, leaves);
  auto const view = table.View();
  auto const gain = MakeVectorGainParam(*round.param, view, false);
  auto const leaf_rate = LeafRate(*round.param, round.place);
  auto const sums = SumByLeaf(ctx, view, leaves.leaf_of_row, tree->NumNodes());
  tree->n_outputs = static_cast<std::int32_t>(leaves.n_outputs);
  if (tree->HasVectorLeaves()) tree->leaf_vector.assign(SizeInMemory(tree->NumNodes() * leaves.n_outputs), 0.0F);
  for (std::int32_t node = 0; node < tree->NumNodes(); ++node) {
    if (!tree->IsLeaf(node)) continue;
    tree->split_value[node] = 0.0F;
    if (tree->NumNodes() == 1 && !gain.HasEnough(SumHessians(sums.data(), gain))) continue;  // the rule of other trees
    for (std::int64_t output = 0; output < leaves.n_outputs; ++output) {
      auto const weight = LeafWeight(gain.SumOf(sums.data() + node * view.stride, output), gain.Of(output));
      tree->SetLeafValue(node, static_cast<float>(weight) * leaf_rate, static_cast<std::int32_t>(output));
    }
  }
}

}  // namespace kauri
