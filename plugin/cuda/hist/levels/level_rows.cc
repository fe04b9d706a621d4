#include "cuda/hist/levels/level_rows.h"

#include <algorithm>

#include "cuda/hist/levels/level_in_place.h"

namespace kauri::cuda {

void RowsByLevel::Begin(CudaContext const& cuda, LevelPlace const& below, DeviceBins const& bins,
                        GrowingRowsOnDevice const& rows, SmallPair const* small) {
  auto const n_nodes = std::size_t{below.FirstNode()};
  nodes_.Reserve(cuda, n_nodes);
  splits_.Reserve(cuda, n_nodes);
  n_left_.Reserve(cuda, 2 * n_nodes);
  added_.Reserve(cuda, below.FirstPair());
  bins_ = &bins;
  rows_ = &rows;
  n_trees_ = below.n_trees;
  last_in_place_ = LastInPlace(cuda, below.depth, small);
  if (last_in_place_ > 0) {
    node_of_row_.Reserve(cuda, (std::size_t{NumRows()} + 7) / 8 * 8);
    listed_.Reserve(cuda, LevelPlace{kMostInPlace}.NumNodes());
  }
  arrays_ = {nodes_.data(),     splits_.data(),         n_left_.data(),
             added_.data(),     rows.MovePlaces(),      bins.device_features.data(),
             rows.Root().begin, rows.PlanFor(NumRows())};
}

int RowsByLevel::LastInPlace(CudaContext const& cuda, int n_levels, SmallPair const* small) const {
  auto const are_all_rows = n_trees_ == 1 && rows_->Root().buffer < 0;
  if (small == nullptr || !are_all_rows || bins_->NumCodeBytes() < kBytesInCache || !CanAddInPlace(cuda, *bins_))
    return 0;
  return std::min(n_levels - 1, kMostInPlace);
}

InPlaceTask RowsByLevel::InPlace(int depth) const {
  return {bins_, arrays_, LevelPlace{depth}, node_of_row_.data(), NumRows()};
}

void RowsByLevel::Move(CudaContext const& cuda, int depth) const {
  if (depth < last_in_place_) return;
  LevelPlace const level{depth, n_trees_};
  if (depth > 0 && depth == last_in_place_) {
    FillZero(cuda, listed_.data(), listed_.size());
    ListRows(cuda, InPlace(depth), rows_->Pointers(), listed_.data());
  }
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

void RowsByLevel::AddUp(CudaContext const& cuda, AddTask const& added, int depth, Buffer<PlannedRows>* plan) const {
  if (depth > 0 && depth <= last_in_place_) return AddInPlace(cuda, InPlace(depth - 1), added.small);
  AddRows(cuda, *bins_, added, plan);
}

}  // namespace kauri::cuda
