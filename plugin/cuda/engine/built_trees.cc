#include "cuda/engine/built_trees.h"

#include <cstdint>
#include <utility>

#include "engine/leaf_gradients.h"
#include "engine/round_errors.h"
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

bool AreOnePerOutput(std::vector<RoundTree> const& trees, EngineData const& own) {
  if (static_cast<std::int64_t>(trees.size()) != own.rows.NumOutputs() || own.rows.NumShards() > 1) return false;
  for (std::size_t i = 0; i < trees.size(); ++i) {
    auto const& tree = trees[i];
    auto const uses_all = tree.subsample >= 1.0F && tree.BaggingTemperature() == 0.0F;
    if (tree.output != static_cast<std::int64_t>(i) || !uses_all || ReducesErrors(tree)) return false;
  }
  return true;
}

void AddTreesOfRound(CudaContext const& cuda, std::vector<Tree> const& trees, EngineData* own) {
  std::vector<float> values;
  std::vector<std::uint32_t> first_value;
  for (auto const& tree : trees) {
    first_value.push_back(static_cast<std::uint32_t>(values.size()));
    values.insert(values.end(), tree.split_value.begin(), tree.split_value.end());
  }
  auto& upload = own->rows.TreeHere().leaf_values;
  upload.Clear();
  auto const values_place = upload.Add(values);
  auto const first_place = upload.Add(first_value);
  upload.Send(cuda);
  RoundLeaves const leaves{upload.At<float>(values_place), upload.At<std::uint32_t>(first_place),
                           own->arrays.round_leaves.data()};
  AddRoundLeaves(cuda, leaves, own->rows.NumOutputs(), own->rows.MarginsToChange(cuda));
}

void SetLeavesFromGradients(LeafGradientsTask const& task, EngineData const& own, Tree* built) {
  auto const drawn = DrawOnHost(task, own);
  auto const leaves = ToHost(task.cuda, task.leaf_of_row.data(), task.leaf_of_row.size());
  SetLeafValues(task.ctx, task.tree, {own.leaf_gradients, own.rows.NumOutputs(), drawn, leaves}, built);
}

}  // namespace kauri::cuda
