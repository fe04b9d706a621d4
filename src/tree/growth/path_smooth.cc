#include "tree/growth/path_smooth.h"

#include <vector>

#include "collective/reduce.h"
#include "common/threads/parallel_for.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 16;

/// Returns the number of rows of all ranks in each leaf, [n_nodes].
std::vector<std::int64_t> CountRows(Context const& ctx, Tree const& tree, Span<std::uint8_t const> sampled,
                                    Span<std::int32_t const> leaf_of_row) {
  auto const n_nodes = tree.left.size();
  std::vector<std::vector<std::int64_t>> of_thread(static_cast<std::size_t>(ctx.threads));
  auto const n_rows = static_cast<std::int64_t>(leaf_of_row.size());
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    auto& counts = of_thread[ThreadIndex()];
    counts.resize(n_nodes);
    for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
      if (sampled.empty() || sampled[row] != 0) ++counts[leaf_of_row[row]];
    }
  });
  std::vector<std::int64_t> total(n_nodes, 0);
  for (auto const& counts : of_thread) {
    for (std::size_t node = 0; node < counts.size(); ++node) total[node] += counts[node];
  }
  SumOverRanks(ctx, total);
  return total;
}

}  // namespace

void SmoothPaths(Context const& ctx, float path_smooth, float leaf_rate, Span<std::uint8_t const> sampled,
                 Span<std::int32_t const> leaf_of_row, Tree* tree) {
  SmoothPaths(path_smooth, leaf_rate, CountRows(ctx, *tree, sampled, leaf_of_row), tree);
}

void SmoothPaths(float path_smooth, float leaf_rate, std::vector<std::int64_t> n_rows, Tree* tree) {
  for (auto node = n_rows.size(); node-- > 1;) n_rows[tree->parent[node]] += n_rows[node];
  auto const n_outputs = static_cast<std::size_t>(tree->n_outputs);
  for (std::int32_t node = 1; node < tree->NumNodes(); ++node) {
    auto const multiple = static_cast<double>(n_rows[node]) / static_cast<double>(path_smooth);
    auto* const own = tree->base_weight.data() + static_cast<std::size_t>(node) * n_outputs;
    auto const* of_parent = tree->base_weight.data() + static_cast<std::size_t>(tree->parent[node]) * n_outputs;
    for (std::size_t output = 0; output < n_outputs; ++output) {
      auto const weight = static_cast<double>(own[output]) * (multiple / (multiple + 1.0)) +
                          static_cast<double>(of_parent[output]) / (multiple + 1.0);
      own[output] = static_cast<float>(weight);
      if (tree->IsLeaf(node)) tree->SetLeafValue(node, own[output] * leaf_rate, static_cast<std::int32_t>(output));
    }
  }
}

}  // namespace kauri
