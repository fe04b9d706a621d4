#include "cuda/hist/levels/level_rows.h"

namespace kauri::cuda {

void RowsByLevel::Begin(CudaContext const& cuda, LevelPlace const& below, DeviceBins const& bins,
                        GrowingRowsOnDevice const& rows) {
  auto const n_nodes = std::size_t{below.FirstNode()};
  nodes_.Reserve(cuda, n_nodes);
  splits_.Reserve(cuda, n_nodes);
  n_left_.Reserve(cuda, 2 * n_nodes);
  added_.Reserve(cuda, below.FirstPair());
  rows_ = &rows;
  n_trees_ = below.n_trees;
  arrays_ = {nodes_.data(),     splits_.data(),         n_left_.data(),
             added_.data(),     rows.MovePlaces(),      bins.device_features.data(),
             rows.Root().begin, rows.PlanFor(NumRows())};
}

void RowsByLevel::Move(CudaContext const& cuda, int depth) const {
  LevelPlace const level{depth, n_trees_};
  rows_->MoveBy(cuda, {arrays_.splits + level.FirstNode(), level.NumNodes()},
                {arrays_.plan, arrays_.plan.NumTiles(NumRows()) + level.NumNodes()},
                arrays_.n_left + 2 * std::size_t{level.FirstNode()});
}

AddTask RowsByLevel::Added(int depth) const {
  LevelPlace const level{depth, n_trees_};
  auto const is_root = depth == 0;
  AddTask task{};
  task.nodes = {arrays_.added + level.FirstPair(), level.NumPairs()};
  task.n_left = is_root ? nullptr : arrays_.n_left + 2 * std::size_t{LevelPlace{depth - 1, n_trees_}.FirstNode()};
  task.rows = rows_->Pointers();
  task.most_rows = is_root ? NumRows() : NumRows() / 2;
  task.nodes_of_tree = level.PairsOfTree();
  task.pairs_of_tree = n_trees_ == 1 ? 0 : rows_->Root().count;
  return task;
}

}  // namespace kauri::cuda
