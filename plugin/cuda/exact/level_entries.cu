#include <algorithm>
#include <utility>

#include "cuda/exact/entries/partition.h"
#include "cuda/exact/entries/positions.h"
#include "cuda/exact/level_entries.h"
#include "cuda/tree/row_sums.h"

namespace kauri::cuda {

void LevelEntries::Fill(std::vector<std::uint32_t> const& features) {
  workspace_.row_goes_left.Reserve(cuda_, (NumRows() + 31) / 32);
  if (ChoosesByErrors()) workspace_.level_labels.Start(cuda_, task_.errors, task_.sampled_rows);
  MakeChunks(cuda_, columns_, features, &workspace_);
  spare_region_ = static_cast<std::int64_t>(chunks_.size());
  for (auto& chunk : chunks_) FillChunk(cuda_, columns_, task_.pairs, workspace_, &chunk);
  if (!IsSampled()) return;  // the only node has all entries
  if (interleaved_levels_ == 0) {
    DropUnsampled();
  } else {
    sorted_ = false;
    NarrowRows(workspace_.positions);
  }
}

/// Drops the rows that are not sampled, as if the root split into the sampled rows and a finished leaf.
void LevelEntries::DropUnsampled() {
  MarkSampled(cuda_, task_.sampled_rows, workspace_.row_goes_left.data());
  NodeMove keep;
  keep.feature = 0;
  keep.left = 0;
  auto const moves = ToDevice(cuda_, std::vector<NodeMove>{keep});
  auto const parents = ToDevice(cuda_, std::vector<std::int32_t>{0});
  Partition(1, moves.data(), parents.data(), 1);
}

void LevelEntries::NarrowRows(Buffer<std::int32_t> const& positions) {
  workspace_.node_of_row.Reserve(cuda_, NumRows());
  NarrowPositions(cuda_, {positions.data(), NumRows()}, task_.sampled_rows, workspace_.node_of_row.data());
}

/// Returns a task with the members that are the same for all nodes.
SplitTask LevelEntries::TaskOf(GainParam const& gain, std::int32_t n_nodes) const {
  SplitTask task;
  task.table.n_nodes = n_nodes;
  task.param = gain;
  task.screen = MakeScreen(gain, static_cast<std::int64_t>(NumRows()));
  task.n_all_features = static_cast<std::int32_t>(columns_.NumCols());
  return task;
}

/// Uploads the data of the nodes that split finding needs for any feature. best (out): [n_nodes], device.
SplitTask LevelEntries::UploadLevel(LevelNodes const& level, SplitCandidate** best) {
  auto& upload = workspace_.level_upload;
  upload.Clear();
  auto const nodes = upload.Add(level.nodes);
  auto const allowed = upload.Add(level.allowed);
  auto const signs = upload.Add(level.signs);
  auto const costs = upload.Add(level.costs);
  auto const limits = upload.Add(level.limits);
  auto const candidates = upload.Add(std::vector<SplitCandidate>(level.nodes.size()));
  // A split below half of kMinLossChange is never made, so the floor can begin there.
  auto const floors = upload.Add(std::vector<double>(level.nodes.size(), kMinLossChange / 2.0));
  upload.Send(cuda_);
  *best = upload.At<SplitCandidate>(candidates);
  auto task = TaskOf(level.gain, static_cast<std::int32_t>(level.nodes.size()));
  task.nodes = upload.At<NodeTotals>(nodes);
  task.allowed = level.allowed.empty() ? nullptr : upload.At<std::uint8_t>(allowed);
  task.signs = level.signs.empty() ? nullptr : upload.At<std::int8_t>(signs);
  task.costs = level.costs.empty() ? nullptr : upload.At<float>(costs);
  if (!level.limits.empty()) {
    CountNodeRows(task.table.n_nodes);
    task.limits = upload.At<SplitLimits>(limits);
    task.node_rows = workspace_.node_rows.data();
  }
  task.floors = upload.At<double>(floors);
  return task;
}

void LevelEntries::CountNodeRows(std::int32_t n_nodes) {
  auto const n = static_cast<std::size_t>(n_nodes);
  workspace_.node_rows.Reserve(cuda_, n);
  CountRowsByNode(cuda_, {workspace_.positions.data(), NumRows()}, task_.sampled_rows,
                  {workspace_.node_rows.data(), n});
}

std::vector<SplitCandidate> LevelEntries::FindBest(LevelNodes const& level) {
  SplitCandidate* best = nullptr;
  auto const of_level = UploadLevel(level, &best);
  if (ChoosesByErrors()) {
    workspace_.level_labels.Prepare(cuda_, {workspace_.positions.data(), NumRows()}, of_level.table.n_nodes);
  }
  Search(of_level, best);
  categories_.Find(cuda_, of_level, workspace_.positions.data(), task_.pairs.data(), best);
  workspace_.best.Reserve(level.nodes.size());
  CopyToHost(cuda_, best, level.nodes.size(), workspace_.best.data());
  cuda_.Synchronize();  // the one wait of the level, for the nodes' splits and the categories that go right
  return {workspace_.best.data(), workspace_.best.data() + level.nodes.size()};
}

void LevelEntries::FindBest(GainParam const& gain, DeviceDecisions const& decisions) {
  auto task = TaskOf(gain, decisions.NumNodes());
  auto const nodes = decisions.Nodes();
  task.nodes = nodes.nodes;
  task.floors = nodes.floors;
  Search(task, nodes.best);
}

void LevelEntries::Search(SplitTask const& of_level, SplitCandidate* best) {
  auto const n_nodes = of_level.table.n_nodes;
  for (auto const& chunk : chunks_) {
    auto task = of_level;
    task.table = chunk.Table();
    task.table.n_nodes = n_nodes;
    task.entries = workspace_.Region(chunk.region);
    task.n_entries = chunk.n_entries;
    task.both_ways = chunk.both_ways.data();
    task.feature_ids = chunk.feature_ids.data();
    if (ChoosesByErrors()) {
      workspace_.level_labels.FindSplits(cuda_, task, workspace_.ReserveSplit(cuda_, chunk), best);
    } else if (sorted_) {
      FindSplits(cuda_, task, workspace_.ReserveSplit(cuda_, chunk), best);
    } else {
      FindSplitsInterleaved(cuda_, task, chunk.Columns(), workspace_.node_of_row.data(),
                            workspace_.ReserveInterleaved(cuda_, chunk, spare_region_, n_nodes), best);
    }
  }
}

namespace {

/// Returns for each node the place within the chunk of the feature that it splits on, or -1.
std::vector<std::int32_t> WinnersOf(Chunk const& chunk, std::vector<NodeMove> const& moves) {
  std::vector<std::int32_t> winners;
  for (auto const& move : moves) {
    auto const found = std::lower_bound(chunk.features.begin(), chunk.features.end(), move.feature);
    auto const here = found != chunk.features.end() && *found == move.feature;
    winners.push_back(here ? static_cast<std::int32_t>(found - chunk.features.begin()) : -1);
  }
  return winners;
}

}  // namespace

void LevelEntries::Advance(std::vector<NodeMove> const& moves, std::vector<std::int32_t> const& parent_of_child) {
  auto& upload = workspace_.move_upload;
  upload.Clear();
  auto const moves_at = upload.Add(moves);
  auto const parents_at = upload.Add(parent_of_child);
  std::vector<std::size_t> winners_at;
  for (auto const& chunk : chunks_) winners_at.push_back(upload.Add(WinnersOf(chunk, moves)));
  auto const columns_at = upload.Add(categories_.ColumnsOf(moves));
  upload.Send(cuda_);
  auto const* const device_moves = upload.At<NodeMove>(moves_at);
  std::vector<std::int32_t const*> winners;
  for (auto const at : winners_at) winners.push_back(upload.At<std::int32_t>(at));
  MoveRows(moves, device_moves, winners);
  if (!categories_.IsEmpty()) {
    MoveByCategory(cuda_, {workspace_.positions.data(), NumRows()}, device_moves,
                   categories_.Moves(upload.At<std::int32_t>(columns_at)), workspace_.next_positions.data());
  }
  if (!parent_of_child.empty()) {
    MoveEntries(static_cast<std::int32_t>(moves.size()), device_moves, upload.At<std::int32_t>(parents_at),
                static_cast<std::int32_t>(parent_of_child.size()));
  }
  std::swap(workspace_.positions, workspace_.next_positions);
}

void LevelEntries::Advance(DeviceDecisions* decisions) {
  auto const n_nodes = decisions->NumNodes();
  auto const* const moves = decisions->Moves();
  Span<std::int32_t const> const current{workspace_.positions.data(), NumRows()};
  auto* const next = workspace_.next_positions.data();
  MoveByDefault(cuda_, current, moves, next);
  for (std::size_t at = 0; at < chunks_.size(); ++at) {
    auto const& chunk = chunks_[at];
    MoveBySegments(cuda_, chunk.Table(), workspace_.Region(chunk.region), decisions->Winners(at), moves, next);
  }
  MarkLeftRows(cuda_, current, next, moves, workspace_.row_goes_left.data());
  auto const* const parents = decisions->ParentOfChild();
  decisions->EndLevel();  // after all work that does not need the number of next nodes, so that the device is not idle
  if (decisions->NumNodes() > 0) Partition(n_nodes, moves, parents, decisions->NumNodes());
  std::swap(workspace_.positions, workspace_.next_positions);
}

void LevelEntries::MoveEntries(std::int32_t n_nodes, NodeMove const* moves, std::int32_t const* parents,
                               std::int32_t n_children) {
  ++depth_;
  auto const stays_interleaved = depth_ < interleaved_levels_;
  if (sorted_ && !stays_interleaved) {
    MarkLeftRows(cuda_, {workspace_.positions.data(), NumRows()}, workspace_.next_positions.data(), moves,
                 workspace_.row_goes_left.data());
    Partition(n_nodes, moves, parents, n_children);
    return;
  }
  NarrowRows(workspace_.next_positions);
  if (!stays_interleaved) Sort(n_children);
  sorted_ = !stays_interleaved;
}

void LevelEntries::MoveRows(std::vector<NodeMove> const& moves, NodeMove const* device_moves,
                            std::vector<std::int32_t const*> const& winners) {
  auto* const next = workspace_.next_positions.data();
  MoveByDefault(cuda_, {workspace_.positions.data(), NumRows()}, device_moves, next);
  for (std::size_t at = 0; at < chunks_.size(); ++at) {
    auto const& chunk = chunks_[at];
    if (sorted_ && !IsSampled()) {
      MoveBySegments(cuda_, chunk.Table(), workspace_.Region(chunk.region), winners[at], device_moves, next);
    } else {
      MoveRowsByFeature(chunk, moves, device_moves);
    }
  }
}

/// Moves the rows column by column. Entries with their nodes (interleaved phase) exist for sampled rows only, so with
/// sampling all rows of the split columns are read.
void LevelEntries::MoveRowsByFeature(Chunk const& chunk, std::vector<NodeMove> const& moves,
                                     NodeMove const* device_moves) {
  auto* const next = workspace_.next_positions.data();
  for (std::size_t feature = 0; feature < chunk.features.size(); ++feature) {
    auto const id = chunk.features[feature];
    auto const splits = [id](NodeMove const& move) { return move.feature == id; };
    if (std::none_of(moves.begin(), moves.end(), splits)) continue;
    if (IsSampled()) {
      auto const begin = columns_.column_ptr[id];
      auto const size = columns_.column_ptr[id + 1] - begin;
      MoveByColumn(cuda_, {columns_.rows.data() + begin, columns_.values.data() + begin, size, id,
                           workspace_.positions.data(), device_moves, next});
    } else {
      MoveInterleaved(cuda_, {chunk.begin[feature], chunk.end[feature], id, workspace_.Region(chunk.region),
                              workspace_.NodeOfEntry(chunk, spare_region_), device_moves, next});
    }
  }
}

void LevelEntries::Partition(std::int32_t n_nodes, NodeMove const* moves, std::int32_t const* parents,
                             std::int32_t n_children) {
  for (auto& chunk : chunks_) {
    chunk.next_segments.Reserve(cuda_, chunk.features.size() * (static_cast<std::size_t>(n_children) + 1) + 1);
    chunk.piece_sums.Reserve(cuda_, chunk.NumPieces(n_children));
    PartitionTask task;
    task.table = chunk.Table();
    task.table.n_nodes = n_nodes;
    task.from = workspace_.Region(chunk.region);
    task.to = workspace_.Region(spare_region_);
    task.n_entries = chunk.n_entries;
    task.moves = moves;
    task.row_goes_left = workspace_.row_goes_left.data();
    task.parent_of_child = parents;
    task.n_children = n_children;
    task.feature_begin = chunk.feature_begin.data();
    cuda::Partition(cuda_, task, workspace_.ReservePartition(cuda_, chunk),
                    {chunk.next_segments.data(), chunk.tile_segments.data(), chunk.piece_sums.data()});
    std::swap(chunk.region, spare_region_);
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
    task.from = workspace_.Region(chunk.region);
    task.to = workspace_.Region(spare_region_);
    task.node_of_row = workspace_.node_of_row.data();
    task.feature_begin = chunk.feature_begin.data();
    task.counts = workspace_.node_counts.data();
    task.totals = workspace_.segment_lefts.data();
    SortByNode(cuda_, task, chunk.segments.data());
    std::swap(chunk.region, spare_region_);
    chunk.n_nodes = n_nodes;
    SumSegments(cuda_, workspace_, &chunk);
  }
}

}  // namespace kauri::cuda
