#include "cuda/common/launch.h"
#include "cuda/exact/entries/exact_types.h"
#include "cuda/exact/entries/positions.h"

namespace kauri::cuda {
namespace {

/// Blocks along one segment; more than enough to fill a device when few nodes are left.
constexpr unsigned kBlocksPerSegment = 64;

__global__ void MoveByDefaultKernel(Span<std::int32_t const> current, NodeMove const* moves, std::int32_t* next) {
  auto const row = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= current.size()) return;
  std::int32_t const node = current.data()[row];
  if (node < 0) {
    next[row] = node;
    return;
  }
  NodeMove const move = moves[node];
  next[row] = move.feature < 0 || move.default_left != 0 ? move.left : move.right;
}

__global__ void MoveByColumnKernel(ColumnMove move) {
  std::int64_t const index = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= move.n_entries) return;
  std::uint32_t const row = move.rows[index];
  std::int32_t const node = move.current[row];
  if (node < 0 || move.moves[node].feature != move.feature) return;
  NodeMove const& split = move.moves[node];
  move.next[row] = move.values[index] < split.threshold ? split.left : split.right;
}

/// blockIdx.y: the node.
__global__ void MoveBySegmentsKernel(SegmentTable table, EntryArrays entries, std::int32_t const* winners,
                                     NodeMove const* moves, std::int32_t* next) {
  for (std::int32_t node = static_cast<std::int32_t>(blockIdx.y); node < table.n_nodes;
       node += static_cast<std::int32_t>(gridDim.y)) {
    std::int32_t const feature = winners[node];
    if (feature < 0) continue;
    NodeMove const move = moves[node];
    std::int64_t const segment = static_cast<std::int64_t>(feature) * (table.n_nodes + 1) + node;
    std::int64_t const end = table.begin[segment + 1];
    std::int64_t const stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    for (std::int64_t index = table.begin[segment] + static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
         index < end; index += stride) {
      next[entries.rows[index]] = entries.values[index] < move.threshold ? move.left : move.right;
    }
  }
}

__global__ void MoveByCategoryKernel(Span<std::int32_t const> current, NodeMove const* moves, CategoryMoves categories,
                                     std::int32_t* next) {
  auto const row = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= current.size()) return;
  std::int32_t const node = current.data()[row];
  std::int32_t const column = node < 0 ? -1 : categories.columns[node];
  if (column < 0) return;
  std::uint32_t const code = categories.codes[static_cast<std::size_t>(column) * current.size() + row];
  if (code == 0) return;
  std::uint32_t const index = code - 1;
  bool const right = (categories.right[node * categories.n_words + index / 32] >> (index % 32) & 1U) != 0;
  next[row] = right ? moves[node].right : moves[node].left;
}

__global__ void MarkLeftRowsKernel(Span<std::int32_t const> current, std::int32_t const* next, NodeMove const* moves,
                                   std::uint32_t* goes_left) {
  auto const row = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  bool left = false;
  if (row < current.size()) {
    std::int32_t const node = current.data()[row];
    left = node >= 0 && next[row] == moves[node].left;
  }
  std::uint32_t const word = __ballot_sync(0xFFFFFFFFU, left);
  if (threadIdx.x % 32 == 0 && row < current.size()) goes_left[row / 32] = word;
}

__global__ void FinishLeavesKernel(Span<std::int32_t> positions, std::int32_t const* new_id) {
  auto const row = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= positions.size()) return;
  std::int32_t const leaf = ~positions.data()[row];
  positions.data()[row] = new_id == nullptr ? leaf : new_id[leaf];
}

}  // namespace

void MoveByDefault(CudaContext const& ctx, Span<std::int32_t const> current, NodeMove const* moves,
                   std::int32_t* next) {
  Launch(ctx, GridFor(static_cast<std::int64_t>(current.size()), kBlockThreads), kBlockThreads, MoveByDefaultKernel,
         current, moves, next);
}

void MoveByColumn(CudaContext const& ctx, ColumnMove const& move) {
  Launch(ctx, GridFor(move.n_entries, kBlockThreads), kBlockThreads, MoveByColumnKernel, move);
}

void MoveBySegments(CudaContext const& ctx, SegmentTable const& table, EntryArrays const& entries,
                    std::int32_t const* winners, NodeMove const* moves, std::int32_t* next) {
  auto const along = table.n_nodes >= 256 ? 4U : kBlocksPerSegment;
  auto const nodes = static_cast<unsigned>(table.n_nodes < 65535 ? table.n_nodes : 65535);
  LaunchGrid(ctx, dim3(along, nodes), kBlockThreads, MoveBySegmentsKernel, table, entries, winners, moves, next);
}

void MoveByCategory(CudaContext const& ctx, Span<std::int32_t const> current, NodeMove const* moves,
                    CategoryMoves const& categories, std::int32_t* next) {
  Launch(ctx, GridFor(static_cast<std::int64_t>(current.size()), kBlockThreads), kBlockThreads, MoveByCategoryKernel,
         current, moves, categories, next);
}

void MarkLeftRows(CudaContext const& ctx, Span<std::int32_t const> current, std::int32_t const* next,
                  NodeMove const* moves, std::uint32_t* goes_left) {
  Launch(ctx, GridFor(static_cast<std::int64_t>(current.size()), kBlockThreads), kBlockThreads, MarkLeftRowsKernel,
         current, next, moves, goes_left);
}

void FinishLeaves(CudaContext const& ctx, Span<std::int32_t> positions, std::int32_t const* new_id) {
  Launch(ctx, GridFor(static_cast<std::int64_t>(positions.size()), kBlockThreads), kBlockThreads, FinishLeavesKernel,
         positions, new_id);
}

namespace {

__global__ void FillPositionsKernel(std::int32_t position, Span<std::int32_t> positions) {
  auto const row = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row < positions.size()) positions.data()[row] = position;
}

__global__ void MarkSampledKernel(Span<std::uint8_t const> sampled, std::uint32_t* goes_left) {
  auto const row = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  std::uint32_t const word = __ballot_sync(0xFFFFFFFFU, row < sampled.size() && sampled.data()[row] != 0);
  if (threadIdx.x % 32 == 0 && row < sampled.size()) goes_left[row / 32] = word;
}

}  // namespace

void FillPositions(CudaContext const& ctx, std::int32_t position, Span<std::int32_t> positions) {
  Launch(ctx, GridFor(static_cast<std::int64_t>(positions.size()), kBlockThreads), kBlockThreads, FillPositionsKernel,
         position, positions);
}

void MarkSampled(CudaContext const& ctx, Span<std::uint8_t const> sampled, std::uint32_t* goes_left) {
  Launch(ctx, GridFor(static_cast<std::int64_t>(sampled.size()), kBlockThreads), kBlockThreads, MarkSampledKernel,
         sampled, goes_left);
}

}  // namespace kauri::cuda
