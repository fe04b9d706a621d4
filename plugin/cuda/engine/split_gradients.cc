#include "cuda/engine/split_gradients.h"

#include <utility>

#include "engine/leaf_gradients.h"
#include "engine/row_draws.h"
#include "tree/sampling/sampling.h"

namespace kauri::cuda {
namespace {

/// Returns the rows that the device has sampled: host and device draw alike.
DrawnRows DrawOnHost(LeafGradientsTask const& task, EngineData const& own) {
  auto const& tree = task.tree;
  if (!tree.SamplesByGradient() && !(tree.BaggingTemperature() > 0.0F)) {
    return {SampleRows(task.ctx, tree.place.iteration, tree.place.tree_in_iteration, tree.subsample, task.info.n_rows,
                       DrawnBy(task.ctx, task.info, tree)),
            {}};
  }
  auto const gradients = own.rows.Gradients(task.cuda);
  auto const pairs = ToHost(task.cuda, gradients.pairs.data(), gradients.pairs.size());
  auto sample = DrawPairs(task.ctx, task.info, tree, pairs, gradients.n_outputs);
  return {std::move(sample.used), std::move(sample.chances)};
}

}  // namespace

void SetLeavesFromGradients(LeafGradientsTask const& task, EngineData const& own, Tree* built) {
  auto const drawn = DrawOnHost(task, own);
  auto const leaves = ToHost(task.cuda, task.leaf_of_row.data(), task.leaf_of_row.size());
  SetLeafValues(task.ctx, task.tree, {own.leaf_gradients, own.rows.NumOutputs(), drawn, leaves}, built);
}

}  // namespace kauri::cuda
