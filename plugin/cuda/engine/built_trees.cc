#include "cuda/engine/built_trees.h"

#include <cstdint>
#include <utility>

#include "engine/leaf_gradients.h"
#include "engine/round_errors.h"
#include "engine/rounded_gradients.h"
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
    auto const follows =
        tree.place.tree_in_iteration == trees[0].place.tree_in_iteration + static_cast<std::int64_t>(i);
    if (!follows || tree.output != static_cast<std::int64_t>(i) || !uses_all || ReducesErrors(tree)) return false;
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

void RenewLeavesOfRound(CudaContext const& cuda, std::vector<RoundTree> const& trees, EngineData* own,
                        std::vector<Tree>* built) {
  if (!RenewsLeaves(trees[0])) return;
  auto& summary = own->rows.TreeHere().summary;
  auto const gradients = own->rows.GradientsHere();
  auto const n_rows = ToSize(gradients.NumRows());
  std::size_t n_nodes = 0;
  for (auto const& tree : *built) n_nodes += ToSize(tree.NumNodes());
  Buffer<FixedSum> sums(cuda, n_nodes);
  FillZero(cuda, sums.data(), n_nodes);
  auto* to = sums.data();
  for (std::size_t i = 0; i < trees.size(); ++i) {
    LeafSumTask task{gradients, trees[i].output, summary.Largest() + trees[i].output};
    task.leaf_of_row = {own->arrays.round_leaves.data() + i * n_rows, n_rows};
    task.n_nodes = static_cast<std::uint32_t>((*built)[i].NumNodes());
    task.sums = to;
    SumLeaves(cuda, task);
    to += task.n_nodes;
  }
  auto const on_host = ToHost(cuda, sums.data(), n_nodes);
  Span<FixedSum const> left(on_host);
  for (std::size_t i = 0; i < trees.size(); ++i) {
    auto const n_own = ToSize((*built)[i].NumNodes());
    RenewLeaves(trees[i], summary.Fetched(trees[i].output).largest.Unit(), left.subspan(0, n_own), &(*built)[i]);
    left = left.subspan(n_own, left.size() - n_own);
  }
}

void RenewLeavesOf(LeafGradientsTask const& task, EngineData* own, Tree* built) {
  if (!RenewsLeaves(task.tree)) return;
  if (own->arrays.on_host.has_value()) {
    auto const& exact = *own->arrays.on_host;
    auto const leaves = ToHost(task.cuda, task.leaf_of_row.data(), task.leaf_of_row.size());
    return RenewLeaves(task.tree, exact.unit, SumPairsByLeaf(task.ctx, exact.View(), leaves, built->NumNodes()), built);
  }
  auto const sums = own->rows.SumLeaves(task.cuda, built->NumNodes());
  RenewLeaves(task.tree, own->rows.ExactUnit(), sums, built);
}

}  // namespace kauri::cuda
