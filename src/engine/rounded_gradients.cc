#include "engine/rounded_gradients.h"

#include <algorithm>

#include "collective/reduce.h"
#include "common/large_memory.h"
#include "common/threads/parallel_for.h"
#include "kauri/collective.h"
#include "tree/constraints/constraints.h"
#include "tree/growth/tree_common.h"
#include "tree/sampling/sampling.h"

namespace kauri {
namespace {

constexpr std::int64_t kRoundedRowsPerBlock = 1 << 14;

}  // namespace

GradientRounding RoundingOf(Context const& ctx, RoundTree const& tree) {
  auto const& place = tree.place;
  return {tree.GradientBits(), RoundingKey(RoundKeyOfRounding(ctx.seed, place.iteration), place.tree_in_iteration)};
}

void RoundGradients(Context const& ctx, MetaInfo const& info, GradientRounding const& rounding,
                    FixedGradients const& exact, FixedGradients* out) {
  auto const shifts = ShiftsOf(exact.largest, rounding.bits);
  RowNumbers const numbers(IsDistributed(ctx) ? Span<RowRange const>(info.global_rows) : Span<RowRange const>());
  ResizeLarge(&out->pairs, exact.pairs.size());
  ParallelForBlocks(ctx, static_cast<std::int64_t>(exact.pairs.size()), kRoundedRowsPerBlock,
                    [&](std::int64_t begin, std::int64_t end, std::int64_t) {
                      numbers.ForEach(begin, end, [&](std::int64_t row, std::int64_t number) {
                        out->pairs[row] = RoundPair(exact.pairs[row], shifts, rounding.key, number);
                      });
                    });
  out->largest = exact.largest;
  out->unit = RoundedUnit(exact.unit, shifts);
}

bool RenewsLeaves(RoundTree const& tree) {
  if (tree.GradientBits() == 0) return false;
  auto const& param = *tree.param;
  return param.path_smooth == 0.0F && param.cat_l2 == 0.0F && !ParseConstraints(param).HasMonotone();
}

std::vector<FixedSum> SumPairsByLeaf(Context const& ctx, GradientView const& pairs,
                                     Span<std::int32_t const> leaf_of_row, std::int64_t n_nodes) {
  auto const n_rows = static_cast<std::int64_t>(leaf_of_row.size());
  auto const rows_per_block = std::max(kRoundedRowsPerBlock, n_nodes);  // the sums take no more memory than the pairs
  std::vector<std::vector<FixedSum>> of_block(NumBlocks(n_rows, rows_per_block));
  ParallelForBlocks(ctx, n_rows, rows_per_block, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
    std::vector<FixedSum> sums(ToSize(n_nodes));
    for (auto row = begin; row < end; ++row) sums[leaf_of_row[row]] += pairs.pairs[row];
    of_block[block] = std::move(sums);
  });
  std::vector<std::int64_t> words(2 * ToSize(n_nodes), 0);
  for (auto const& sums : of_block) {
    for (std::size_t node = 0; node < sums.size(); ++node) {
      words[2 * node] += sums[node].gradient;
      words[2 * node + 1] += sums[node].hessian;
    }
  }
  SumOverRanks(ctx, words);
  std::vector<FixedSum> total;
  for (std::size_t i = 0; i < words.size(); i += 2) total.push_back({words[i], words[i + 1]});
  return total;
}

void RenewLeaves(RoundTree const& round, GradientUnit unit, Span<FixedSum const> sums, Tree* tree) {
  auto gain = MakeGainParam(*round.param, unit);
  if (tree->NumNodes() > 1) gain.min_child_weight = 0.0;  // its children have passed it with rounded hessians
  auto const leaf_rate = LeafRate(*round.param, round.place);
  for (std::int32_t node = 0; node < tree->NumNodes(); ++node) {
    if (!tree->IsLeaf(node)) continue;
    auto const weight = static_cast<float>(LeafWeight(sums[node], gain));
    tree->split_value[node] = weight * leaf_rate;
    tree->base_weight[node] = node == 0 ? weight : tree->split_value[node];
  }
}

}  // namespace kauri
