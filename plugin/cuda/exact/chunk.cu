#include <algorithm>
#include <numeric>

#include "cuda/common/launch.h"
#include "cuda/exact/chunk.h"

namespace kauri::cuda {
namespace {

/// Number of entries above which a smaller spare region pays (half a GiB of entries).
constexpr std::int64_t kEntriesPerChunk = std::int64_t{1} << 25;
constexpr unsigned kBlocksPerFeature = 1024;

struct FillTask {
  std::uint32_t const* rows;
  float const* values;
  FixedPair const* pairs;
  std::int64_t const* source;         ///< [n_features], the start of each column
  std::int64_t const* feature_begin;  ///< [n_features + 1]
  std::int64_t const* column_end;     ///< [n_features]
  EntryArrays to;
};

/// blockIdx.y: the feature.
__global__ void FillKernel(FillTask task) {
  std::int64_t const begin = task.feature_begin[blockIdx.y];
  std::int64_t const count = task.column_end[blockIdx.y] - begin;
  std::int64_t const source = task.source[blockIdx.y];
  std::int64_t const stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    std::uint32_t const row = task.rows[source + i];
    task.to.rows[begin + i] = row;
    task.to.values[begin + i] = task.values[source + i];
    task.to.pairs[begin + i] = task.pairs[row];
  }
}

std::int64_t RoomFor(std::int64_t n_entries) {
  return (n_entries + kEntryAlignment - 1) / kEntryAlignment * kEntryAlignment;
}

std::int64_t ColumnSize(DeviceColumns const& columns, std::int32_t feature) {
  auto const at = static_cast<std::size_t>(feature);
  return columns.column_ptr[at + 1] - columns.column_ptr[at];
}

/// Reserves zeroed memory. Whole tiles are loaded, including their dead entries; the values of those do not matter, but
/// must be initialised.
template <typename T>
void ReserveZeroed(CudaContext const& cuda, std::size_t size, Buffer<T>* buffer) {
  if (size <= buffer->size()) return;
  buffer->Reserve(cuda, size);
  FillZero(cuda, buffer->data(), buffer->size());
}

std::int64_t SizeOfRegions(std::vector<ChunkPlan> const& plans) {
  std::int64_t largest = 0;
  for (auto const& plan : plans) largest = std::max(largest, plan.n_entries);
  return NumTiles(largest) * kTileEntries;
}

/// Returns a chunk with the members that do not change while a tree grows.
Chunk DescribeChunk(CudaContext const& cuda, DeviceColumns const& columns, ChunkPlan const& plan) {
  Chunk chunk;
  chunk.features = plan.features;
  chunk.n_entries = plan.n_entries;
  std::vector<std::int64_t> source;
  std::vector<std::int64_t> segments;
  std::vector<std::uint8_t> both_ways;
  std::vector<std::uint32_t> first_tile{0};
  chunk.begin = {0};
  for (auto const feature : chunk.features) {
    auto const size = ColumnSize(columns, feature);
    source.push_back(columns.column_ptr[feature]);
    segments.push_back(chunk.begin.back());
    segments.push_back(chunk.begin.back() + size);  // the dead segment
    chunk.end.push_back(chunk.begin.back() + size);
    chunk.begin.push_back(chunk.begin.back() + RoomFor(size));
    first_tile.push_back(first_tile.back() + static_cast<std::uint32_t>(NumTiles(size)));
    both_ways.push_back(columns.both_ways[feature]);
  }
  segments.push_back(chunk.begin.back());
  chunk.n_column_tiles = first_tile.back();
  chunk.feature_ids = ToDevice(cuda, chunk.features);
  chunk.both_ways = ToDevice(cuda, both_ways);
  chunk.feature_begin = ToDevice(cuda, chunk.begin);
  chunk.column_end = ToDevice(cuda, chunk.end);
  chunk.first_tile = ToDevice(cuda, first_tile);
  chunk.source = ToDevice(cuda, source);
  chunk.root_segments = ToDevice(cuda, segments);
  return chunk;
}

}  // namespace

SplitScratch ExactWorkspace::ReserveSplit(CudaContext const& cuda, Chunk const& chunk) {
  auto const n_segments = static_cast<std::size_t>(chunk.Table().NumSegments());
  piece_best.Reserve(cuda, chunk.NumPieces(chunk.n_nodes));
  segment_sums.Reserve(cuda, n_segments);
  segment_best.Reserve(cuda, n_segments);
  auto const n_tiles = static_cast<std::size_t>(NumTiles(chunk.n_entries));
  listed_tiles.Reserve(cuda, n_tiles + 1);
  return {chunk.piece_sums.data(), piece_best.data(),   segment_sums.data(),
          segment_best.data(),     listed_tiles.data(), listed_tiles.data() + n_tiles};
}

PartitionScratch ExactWorkspace::ReservePartition(CudaContext const& cuda, Chunk const& chunk) {
  auto const n_segments = static_cast<std::size_t>(chunk.Table().NumSegments());
  auto const n_tiles = static_cast<std::size_t>(NumTiles(chunk.n_entries));
  goes_left.Reserve(cuda, n_tiles * kTileWords);
  piece_lefts.Reserve(cuda, n_tiles + n_segments);
  segment_lefts.Reserve(cuda, n_segments);
  return {goes_left.data(), piece_lefts.data(), segment_lefts.data()};
}

std::uint8_t* ExactWorkspace::NodeOfEntry(Chunk const& chunk, std::int64_t spare_region) const {
  auto const place = chunk.region < spare_region ? chunk.region : chunk.region - 1;  // 0 .. number of chunks - 1
  return reinterpret_cast<std::uint8_t*>(Region(spare_region).pairs) + place * region_size;
}

InterleavedScratch ExactWorkspace::ReserveInterleaved(CudaContext const& cuda, Chunk const& chunk,
                                                      std::int64_t spare_region, std::int32_t n_nodes) {
  auto const n_pieces = static_cast<std::size_t>(chunk.n_column_tiles * n_nodes);
  auto const n_segments = chunk.features.size() * static_cast<std::size_t>(n_nodes);
  node_pieces.Reserve(cuda, n_pieces);
  piece_best.Reserve(cuda, n_pieces);
  node_totals.Reserve(cuda, n_segments);
  smallest.Reserve(cuda, n_segments);
  segment_best.Reserve(cuda, n_segments);
  return {NodeOfEntry(chunk, spare_region),
          node_pieces.data(),
          piece_best.data(),
          node_totals.data(),
          smallest.data(),
          segment_best.data()};
}

std::vector<ChunkPlan> PlanChunks(std::vector<std::int64_t> const& column_sizes,
                                  std::vector<std::uint32_t> const& features) {
  std::int64_t total = 0;
  for (auto const feature : features) total += RoomFor(column_sizes[feature]);
  auto const n_chunks = std::max<std::int64_t>(1, std::min<std::int64_t>(kMostChunks, total / kEntriesPerChunk));
  auto const target = (total + n_chunks - 1) / n_chunks;
  std::vector<ChunkPlan> plans;
  for (auto const feature : features) {
    auto const size = column_sizes[feature];
    if (size == 0) continue;  // nothing to split on
    if (plans.empty() || plans.back().n_entries >= target) plans.emplace_back();
    plans.back().features.push_back(static_cast<std::int32_t>(feature));
    plans.back().n_entries += RoomFor(size);
  }
  return plans;
}

namespace {

std::vector<ChunkPlan> PlanAll(std::vector<std::int64_t> const& column_sizes) {
  std::vector<std::uint32_t> features(column_sizes.size());
  std::iota(features.begin(), features.end(), 0U);
  return PlanChunks(column_sizes, features);
}

}  // namespace

std::int64_t RegionSize(std::vector<std::int64_t> const& column_sizes) { return SizeOfRegions(PlanAll(column_sizes)); }

std::size_t BytesOfEntries(std::vector<std::int64_t> const& column_sizes) {
  auto const plans = PlanAll(column_sizes);
  auto const regions = static_cast<std::size_t>(SizeOfRegions(plans)) * (plans.size() + 1);
  return regions * (sizeof(std::uint32_t) + sizeof(float) + sizeof(FixedPair)) / 16 * 17;
}

void MakeChunks(CudaContext const& cuda, DeviceColumns const& columns, std::vector<std::uint32_t> const& features,
                ExactWorkspace* workspace) {
  auto& chunks = workspace->chunks;
  if (chunks.empty() || workspace->features != features) {
    std::vector<std::int64_t> sizes;
    for (std::int32_t col = 0; col < columns.NumCols(); ++col) sizes.push_back(ColumnSize(columns, col));
    auto const plans = PlanChunks(sizes, features);
    chunks.clear();
    for (auto const& plan : plans) chunks.push_back(DescribeChunk(cuda, columns, plan));
    workspace->features = features;
    workspace->region_size = SizeOfRegions(plans);
  }
  for (std::size_t chunk = 0; chunk < chunks.size(); ++chunk) chunks[chunk].region = static_cast<std::int64_t>(chunk);
  auto const room = static_cast<std::size_t>(workspace->region_size) * (chunks.size() + 1);
  ReserveZeroed(cuda, room, &workspace->rows);
  ReserveZeroed(cuda, room, &workspace->values);
  ReserveZeroed(cuda, room, &workspace->pairs);
}

void FillChunk(CudaContext const& cuda, DeviceColumns const& columns, Span<FixedPair const> pairs,
               ExactWorkspace const& workspace, Chunk* chunk) {
  chunk->segments.Reserve(cuda, chunk->root_segments.size());
  CopyOnDevice(cuda, chunk->root_segments.data(), chunk->root_segments.size(), chunk->segments.data());
  chunk->n_nodes = 1;
  FillTask const task{columns.rows.data(),
                      columns.values.data(),
                      pairs.data(),
                      chunk->source.data(),
                      chunk->feature_begin.data(),
                      chunk->column_end.data(),
                      workspace.Region(chunk->region)};
  auto const along = std::min(kBlocksPerFeature, GridFor(chunk->n_entries, kBlockThreads));
  LaunchGrid(cuda, dim3(along, static_cast<unsigned>(chunk->features.size())), kBlockThreads, FillKernel, task);
  chunk->tile_segments.Reserve(cuda, static_cast<std::size_t>(NumTiles(chunk->n_entries)) + 1);
  SumSegments(cuda, workspace, chunk);
}

void SumSegments(CudaContext const& cuda, ExactWorkspace const& workspace, Chunk* chunk) {
  auto const n_pieces = chunk->NumPieces(chunk->n_nodes);
  FindTileSegments(cuda, chunk->Table(), chunk->n_entries, chunk->tile_segments.data());
  chunk->piece_sums.Reserve(cuda, n_pieces);
  FillZero(cuda, chunk->piece_sums.data(), n_pieces);
  SumPieces(cuda, chunk->Table(), workspace.Region(chunk->region).pairs, chunk->n_entries, chunk->piece_sums.data());
}

}  // namespace kauri::cuda
