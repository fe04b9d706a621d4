#include "cuda/common/launch.h"
#include "cuda/hist/levels/level_in_place.h"
#include "cuda/hist/rows/find_stretch.cuh"

namespace kauri::cuda {
namespace {

constexpr std::uint32_t kListThreads = 1024;
constexpr std::uint32_t kRowsOfThread = 8;
constexpr std::uint32_t kRowsOfTile = kListThreads * kRowsOfThread;
constexpr std::uint32_t kMostListed = std::uint32_t{1} << kMostInPlace;

/// A tile of rows that is sorted by node in shared memory, so that writes to the lists lie side by side.
struct ListTile {
  std::uint32_t sorted[kRowsOfTile];
  std::uint32_t counts[kMostListed];        ///< by node
  std::uint32_t first_of[kMostListed + 1];  ///< in the tile
  std::uint32_t first_in[kMostListed];      ///< among the rows of the node

  /// Finds the places of the nodes' rows from their counts. Called by the first warp.
  __device__ void TakePlaces(std::uint32_t n_nodes, std::uint32_t* listed) {
    std::uint32_t const node = threadIdx.x;
    std::uint32_t inclusive = node < n_nodes ? counts[node] : 0;
    if (inclusive != 0) first_in[node] = atomicAdd(listed + node, inclusive);
    for (unsigned step = 1; step < 32; step *= 2) {
      std::uint32_t const other = __shfl_up_sync(0xFFFFFFFFU, inclusive, step);
      if (node >= step) inclusive += other;
    }
    if (node == 0) first_of[0] = 0;
    if (node < n_nodes) first_of[node + 1] = inclusive;
  }

  __device__ void Write(NodeSplit const* splits, std::uint32_t n_nodes, RowPointers const& lists) const {
    for (std::uint32_t at = threadIdx.x; at < first_of[n_nodes]; at += kListThreads) {
      std::uint32_t const node = FindStretch(n_nodes, at, [&](std::uint32_t i) { return first_of[i]; });
      RowStretch const stretch = splits[node].rows;
      std::uint32_t const rank = first_in[node] + at - first_of[node];
      std::uint32_t const place = stretch.descends != 0 ? stretch.count - 1 - rank : rank;
      lists.Of(stretch.buffer)[stretch.begin + place] = sorted[at];
    }
  }
};

/// One block lists the rows of a tile.
__global__ void __launch_bounds__(kListThreads) ListKernel(InPlaceTask task, RowPointers lists, std::uint32_t* listed) {
  __shared__ ListTile tile;
  std::uint32_t const n_nodes = task.parents.NumNodes();
  NodeSplit const* const splits = task.rows.splits + task.parents.FirstNode();
  if (threadIdx.x < kMostListed) tile.counts[threadIdx.x] = 0;
  __syncthreads();
  std::uint32_t nodes[kRowsOfThread];
  std::uint32_t ranks[kRowsOfThread];
  std::uint32_t const first = blockIdx.x * kRowsOfTile + threadIdx.x;
#pragma unroll
  for (std::uint32_t i = 0; i < kRowsOfThread; ++i) {
    std::uint32_t const row = first + i * kListThreads;
    nodes[i] = row < task.n_rows ? task.node_of_row[row] - task.parents.FirstNode() : n_nodes;
    if (nodes[i] < n_nodes && splits[nodes[i]].rows.count == 0) nodes[i] = n_nodes;
    if (nodes[i] < n_nodes) ranks[i] = atomicAdd(tile.counts + nodes[i], 1U);
  }
  __syncthreads();
  if (threadIdx.x < 32) tile.TakePlaces(n_nodes, listed);
  __syncthreads();
#pragma unroll
  for (std::uint32_t i = 0; i < kRowsOfThread; ++i) {
    if (nodes[i] < n_nodes) tile.sorted[tile.first_of[nodes[i]] + ranks[i]] = first + i * kListThreads;
  }
  __syncthreads();
  tile.Write(splits, n_nodes, lists);
}

}  // namespace

void ListRows(CudaContext const& cuda, InPlaceTask const& task, RowPointers const& lists, std::uint32_t* listed) {
  Launch(cuda, GridFor(task.n_rows, kRowsOfTile), kListThreads, ListKernel, task, lists, listed);
}

}  // namespace kauri::cuda
