#include "cuda/hist/levels/rows_by_level.h"

namespace kauri::cuda {

void RowsByLevel::Begin(CudaContext const& cuda, int n_levels, DeviceBins const& bins,
                        GrowingRowsOnDevice const& rows) {
  LevelPlace const below{n_levels};
  auto const n_nodes = std::size_t{below.FirstNode()};
  nodes_.Reserve(cuda, n_nodes);
  splits_.Reserve(cuda, n_nodes);
  n_left_.Reserve(cuda, 2 * n_nodes);
  added_.Reserve(cuda, below.FirstPair());
  rows_ = &rows;
  arrays_ = {nodes_.data(),     splits_.data(),    n_left_.data(),
             added_.data(),     rows.MovePlaces(), bins.device_features.data(),
             rows.Root().begin, rows.Plan()};
}

void RowsByLevel::Move(CudaContext const& cuda, int depth) const {
  LevelPlace const level{depth};
  rows_->MoveBy(cuda, {arrays_.splits + level.FirstNode(), level.NumNodes()},
                rows_->Plan().NumTiles(rows_->Root().count) + level.NumNodes(),
                arrays_.n_left + 2 * std::size_t{level.FirstNode()});
}

AddTask RowsByLevel::Added(int depth) const {
  LevelPlace const level{depth};
  auto const is_root = depth == 0;
  AddTask task{};
  task.nodes = {arrays_.added + level.FirstPair(), level.NumPairs()};
  task.n_left = is_root ? nullptr : arrays_.n_left + 2 * std::size_t{LevelPlace{depth - 1}.FirstNode()};
  task.rows = rows_->Pointers();
  task.most_rows = is_root ? rows_->Root().count : rows_->Root().count / 2;
  return task;
}

}  // namespace kauri::cuda
