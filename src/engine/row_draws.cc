#include "engine/row_draws.h"

#include <utility>

#include "collective/query_order.h"
#include "collective/reduce.h"
#include "kauri/collective.h"
#include "kauri/error.h"
#include "tree/sampling/gradient_sampling.h"
#include "tree/sampling/sampling.h"

namespace kauri {
namespace {

/// Returns the global row numbers in a distributed run, and nothing otherwise.
Span<RowRange const> NumbersOf(Context const& ctx, MetaInfo const& info) {
  return IsDistributed(ctx) ? Span<RowRange const>(info.global_rows) : Span<RowRange const>();
}

}  // namespace

RowNumbers DrawnBy(Context const& ctx, MetaInfo const& info, RoundTree const& tree) {
  if (tree.DrawsExactly()) return RowNumbers::DrawnExactly(NumbersOf(ctx, info), SumOverRanks(ctx, info.n_rows));
  if (!tree.DrawsQueries()) return RowNumbers(NumbersOf(ctx, info));
  if (info.group_ptr.empty() && info.n_rows > 0) {
    Fail(ErrorKind::kParameter, "sampling_method=by_query samples whole queries, and the data have no ",
         "queries; set qid or group, or sampling_method=uniform.");
  }
  // Checks that queries are whole; otherwise, wrong rows would be drawn together.
  if (IsDistributed(ctx)) QueryOrder const whole(ctx, info);
  return RowNumbers(NumbersOf(ctx, info), info.group_ptr);
}

GradientSample DrawPairs(Context const& ctx, MetaInfo const& info, RoundTree const& tree,
                         Span<GradientPair const> gradients, std::int64_t n_outputs) {
  auto const& place = tree.place;
  OutputRange const outputs{tree.output, tree.vector_leaves ? n_outputs : tree.output + 1};
  if (tree.SamplesByGradient()) {
    auto const key = RowSamplingKey(ctx.seed, place.iteration, place.tree_in_iteration);
    return SampleByGradient(ctx, gradients, n_outputs, outputs, {tree.subsample, key, NumbersOf(ctx, info)});
  }
  auto const numbers = DrawnBy(ctx, info, tree);
  auto const n_rows = static_cast<std::int64_t>(gradients.size()) / n_outputs;
  auto used = SampleRows(ctx, place.iteration, place.tree_in_iteration, tree.subsample, n_rows, numbers);
  RowWeighing const weighing{static_cast<double>(tree.BaggingTemperature()),
                             RowWeightKey(ctx.seed, place.iteration, place.tree_in_iteration), numbers};
  return WeighRows(ctx, gradients, n_outputs, outputs, weighing, std::move(used));
}

}  // namespace kauri
