#include <utility>

#include "cuda/exact/level_entries.h"
#include "cuda/exact/partition.h"
#include "cuda/exact/positions.h"
#include "cuda/exact/sum_pairs.h"

namespace kauri::cuda {

void LevelEntries::Fill(std::vector<std::uint32_t> const& features) {
  workspace_.row_goes_left.Reserve(cuda_, (NumRows() + 31) / 32);
  chunks_ = MakeChunks(cuda_, columns_, features, &workspace_);
  spare_slot_ = static_cast<std::int64_t>(chunks_.size());
  for (auto& chunk : chunks_) FillChunk(cuda_, columns_, task_.pairs, workspace_, &chunk);
  if (!IsSampled()) return;  // the only node has all entries
  if (interleaved_levels_ == 0) {
    DropUnsampled();
  } else {
    sorted_ = false;
    NarrowRows();
  }
}

/// As if the root split into the sampled rows and a finished leaf.
void LevelEntries::DropUnsampled() {
  MarkSampled(cuda_, task_.sampled_rows, workspace_.row_goes_left.data());
  NodeMove keep;
  keep.feature = 0;
  keep.left = 0;
  Partition(1, ToDevice(cuda_, std::vector<NodeMove>{keep}).data(), {0});
}

void LevelEntries::NarrowRows() {
  workspace_.node_of_row.Reserve(cuda_, NumRows());
  NarrowPositions(cuda_, {workspace_.positions.data(), NumRows()}, task_.sampled_rows, workspace_.node_of_row.data());
}

std::vector<SplitCandidate> LevelEntries::FindBest(LevelTask const& level) {
  auto const n_nodes = static_cast<std::int32_t>(level.nodes.size());
  auto const nodes = ToDevice(cuda_, level.nodes);
  auto const allowed = ToDevice(cuda_, level.allowed);
  auto const best = ToDevice(cuda_, std::vector<SplitCandidate>(level.nodes.size()));
  // A split below half of kMinLossChange is never made, so that much is as good as reached.
  auto const floors = ToDevice(cuda_, std::vector<double>(level.nodes.size(), kMinLossChange / 2.0));
  for (auto const& chunk : chunks_) {
    SplitTask task;
    task.table = chunk.Table();
    task.table.n_nodes = n_nodes;
    task.entries = workspace_.Slot(chunk.slot);
    task.n_entries = chunk.n_entries;
    task.param = level.gain;
    task.screen = MakeScreen(level.gain, static_cast<std::int64_t>(NumRows()));
    task.nodes = nodes.data();
    task.both_ways = chunk.both_ways.data();
    task.feature_ids = chunk.feature_ids.data();
    task.allowed = allowed.data();
    task.n_all_features = static_cast<std::int32_t>(columns_.NumCols());
    task.floors = floors.data();
    if (sorted_) {
      FindSplits(cuda_, task, workspace_.ReserveSplit(cuda_, chunk), best.data());
    } else {
      FindSplitsInterleaved(cuda_, task, chunk.Columns(), workspace_.node_of_row.data(),
                            workspace_.ReserveInterleaved(cuda_, chunk, spare_slot_, n_nodes), best.data());
    }
  }
  return ToHost(cuda_, best.data(), best.size());  // the one wait of the level: which nodes split
}

void LevelEntries::Advance(std::vector<NodeMove> const& moves, std::vector<std::int32_t> const& parent_of_child) {
  auto const device_moves = ToDevice(cuda_, moves);
  MoveRows(moves, device_moves.data());
  if (!parent_of_child.empty()) {
    ++depth_;
    auto const stays_interleaved = depth_ < interleaved_levels_;
    if (!stays_interleaved && sorted_) {
      MarkLeftRows(cuda_, {workspace_.positions.data(), NumRows()}, workspace_.next_positions.data(),
                   device_moves.data(), workspace_.row_goes_left.data());
      Partition(static_cast<std::int32_t>(moves.size()), device_moves.data(), parent_of_child);
    }
    std::swap(workspace_.positions, workspace_.next_positions);
    if (stays_interleaved || !sorted_) NarrowRows();
    if (!stays_interleaved && !sorted_) Sort(static_cast<std::int32_t>(parent_of_child.size()));
    sorted_ = !stays_interleaved;
    return;
  }
  std::swap(workspace_.positions, workspace_.next_positions);
}

void LevelEntries::MoveRows(std::vector<NodeMove> const& moves, NodeMove const* device_moves) {
  MoveByDefault(cuda_, {workspace_.positions.data(), NumRows()}, device_moves, workspace_.next_positions.data());
  for (auto const& chunk : chunks_) MoveRowsOf(chunk, moves, device_moves);
}

/// By the values of the chunk's features. Entries in node order, or with their node beside them, hold sampled rows
/// only; with sampling all rows of the split columns are looked at.
void LevelEntries::MoveRowsOf(Chunk const& chunk, std::vector<NodeMove> const& moves, NodeMove const* device_moves) {
  auto* const next = workspace_.next_positions.data();
  auto const entries = workspace_.Slot(chunk.slot);
  std::vector<std::int32_t> winners(moves.size(), -1);
  for (std::size_t feature = 0; feature < chunk.features.size(); ++feature) {
    auto const id = chunk.features[feature];
    auto used = false;
    for (std::size_t node = 0; node < moves.size(); ++node) {
      if (moves[node].feature != id) continue;
      winners[node] = static_cast<std::int32_t>(feature);
      used = true;
    }
    if (!used) continue;
    if (IsSampled()) {
      auto const begin = columns_.column_ptr[static_cast<std::size_t>(id)];
      auto const size = columns_.column_ptr[static_cast<std::size_t>(id) + 1] - begin;
      MoveByColumn(cuda_, columns_.rows.data() + begin, columns_.values.data() + begin, size, id,
                   workspace_.positions.data(), device_moves, next);
    } else if (!sorted_) {
      MoveInterleaved(cuda_, {chunk.begin[feature], chunk.end[feature], id, entries,
                              workspace_.NodeOfEntry(chunk, spare_slot_), device_moves, next});
    }
  }
  if (!IsSampled() && sorted_) {
    auto const device_winners = ToDevice(cuda_, winners);
    auto table = chunk.Table();
    MoveBySegments(cuda_, table, entries, device_winners.data(), device_moves, next);
  }
}

void LevelEntries::Partition(std::int32_t n_nodes, NodeMove const* moves,
                             std::vector<std::int32_t> const& parent_of_child) {
  auto const parents = ToDevice(cuda_, parent_of_child);
  auto const n_children = static_cast<std::int32_t>(parent_of_child.size());
  for (auto& chunk : chunks_) {
    chunk.next_segments.Reserve(cuda_, chunk.features.size() * (parent_of_child.size() + 1) + 1);
    chunk.piece_sums.Reserve(cuda_, chunk.NumPieces(n_children));
    PartitionTask task;
    task.table = chunk.Table();
    task.table.n_nodes = n_nodes;
    task.from = workspace_.Slot(chunk.slot);
    task.to = workspace_.Slot(spare_slot_);
    task.n_entries = chunk.n_entries;
    task.moves = moves;
    task.row_goes_left = workspace_.row_goes_left.data();
    task.parent_of_child = parents.data();
    task.n_children = n_children;
    task.feature_begin = chunk.feature_begin.data();
    cuda::Partition(cuda_, task, workspace_.ReservePartition(cuda_, chunk),
                    {chunk.next_segments.data(), chunk.tile_segments.data(), chunk.piece_sums.data()});
    std::swap(chunk.slot, spare_slot_);
    std::swap(chunk.segments, chunk.next_segments);
    chunk.n_nodes = n_children;
  }
}

void LevelEntries::Sort(std::int32_t n_nodes) {
  for (auto& chunk : chunks_) {
    auto const n_segments = chunk.features.size() * static_cast<std::size_t>(n_nodes);
    chunk.segments.Reserve(cuda_, n_segments + chunk.features.size() + 1);
    workspace_.node_counts.Reserve(cuda_, static_cast<std::size_t>(chunk.n_column_tiles * n_nodes));
    workspace_.segment_lefts.Reserve(cuda_, n_segments);
    SortTask task;
    task.tiles = chunk.Columns();
    task.n_nodes = n_nodes;
    task.from = workspace_.Slot(chunk.slot);
    task.to = workspace_.Slot(spare_slot_);
    task.node_of_row = workspace_.node_of_row.data();
    task.feature_begin = chunk.feature_begin.data();
    task.counts = workspace_.node_counts.data();
    task.totals = workspace_.segment_lefts.data();
    SortByNode(cuda_, task, chunk.segments.data());
    std::swap(chunk.slot, spare_slot_);
    chunk.n_nodes = n_nodes;
    SumSegments(cuda_, workspace_, &chunk);
  }
}

}  // namespace kauri::cuda
