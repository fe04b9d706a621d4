#include "booster/model/row_counts.h"

#include <algorithm>

#include "booster/model/model_fit.h"
#include "collective/reduce.h"
#include "common/threads/parallel_for.h"
#include "data/categories/category_view.h"
#include "data/matrix_view.h"
#include "kauri/error.h"

namespace kauri {
namespace {

/// Maximum number of leaf indices held in memory at a time.
constexpr std::int64_t kTileFloats = 1 << 22;
/// Largest node index that float32 represents exactly: predictors return leaves as float32.
constexpr std::int32_t kLargestNode = 1 << 24;

void RequireCountable(Model const& model) {
  if (model.trees.empty()) Fail(ErrorKind::kModel, "the model has no trees, so there is nothing to count rows in.");
  for (std::size_t index = 0; index < model.trees.size(); ++index) {
    if (model.trees[index].NumNodes() <= kLargestNode) continue;
    Fail(ErrorKind::kModel, "tree ", index, " has ", model.trees[index].NumNodes(),
         " nodes; rows are counted in trees ", "of up to ", kLargestNode, " only.");
  }
}

/// Adds the rows' leaves to the counts. leaves: [n_rows, n_trees].
void AddLeaves(Context const& ctx, std::vector<float> const& leaves, RowCounts* counts) {
  auto const n_trees = static_cast<std::int64_t>(counts->size());
  ParallelFor(ctx, n_trees, [&](std::int64_t tree) {
    auto& of_tree = (*counts)[tree];
    for (auto place = ToSize(tree); place < leaves.size(); place += ToSize(n_trees)) {
      ++of_tree[leaves[place]];
    }
  });
}

/// Sums the counts of leaves up to their ancestors. Children come after their parent.
void SumUp(Tree const& tree, std::vector<std::int64_t>* counts) {
  for (auto node = tree.NumNodes(); node-- > 0;) {
    if (tree.IsLeaf(node)) continue;
    (*counts)[node] = (*counts)[tree.left[node]] + (*counts)[tree.right[node]];
  }
}

}  // namespace

RowCounts CountRows(ReadyModel const& ready, DataMatrix const& data) {
  auto const& parts = *ready.Parts();
  auto const& model = ready.GetModel();
  ready.CheckColumns(DeclaredColumns::Of(data.Info()).With(*data.View()), data.NumCols());
  RequireCountable(model);
  auto const n_trees = static_cast<std::int64_t>(model.trees.size());
  auto const compiled = ready.Compiled();
  auto const start = StartMargins(parts, model);
  RowCounts counts;
  for (auto const& tree : model.trees) counts.emplace_back(tree.left.size(), 0);
  auto const view = data.View();
  ModelRows const rows(model, *view);
  auto const tile_rows = std::max<std::int64_t>(64, kTileFloats / std::max<std::int64_t>(1, n_trees));
  for (std::int64_t begin = 0; begin < view->NumRows(); begin += tile_rows) {
    RowWindow const tile(rows.View(), begin, std::min(view->NumRows(), begin + tile_rows));
    std::vector<float> leaves(tile.NumRows() * n_trees);
    parts.predictor->Predict(parts.ctx, *compiled, {tile, {0, n_trees}, {start, {}}}, PredictKind::kLeaf, leaves);
    AddLeaves(parts.ctx, leaves, &counts);
  }
  for (auto& of_tree : counts) SumOverRanks(parts.ctx, of_tree);
  for (std::size_t tree = 0; tree < counts.size(); ++tree) SumUp(model.trees[tree], &counts[tree]);
  return counts;
}

}  // namespace kauri
