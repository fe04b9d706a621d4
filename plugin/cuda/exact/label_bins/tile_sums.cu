#include <cub/device/device_scan.cuh>

#include "cuda/common/launch.h"
#include "cuda/exact/entries/warp_tile.cuh"
#include "cuda/exact/label_bins/atomic_sums.cuh"
#include "cuda/exact/label_bins/tile_sums.h"
#include "cuda/exact/split/commit_best.cuh"

namespace kauri::cuda {
namespace {

constexpr int kThreads = 128;

/// Entries [begin, end) of a tile; empty if the segment is not searched.
struct TilePart {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// Returns the entries of the segment that continues in the next tile.
__device__ TilePart GoingOn(SplitTask const& task, WarpTile const& tile) {
  if (tile.end >= task.n_entries) return {};
  auto const last = FindSegment(task.table.begin, tile.first_segment, tile.last_segment + 1, tile.end - 1);
  if (task.table.begin[last + 1] <= tile.end || !IsLive(task, last)) return {};
  return {max(task.table.begin[last], tile.begin), tile.end};
}

/// Returns the entries of the segment that began in an earlier tile and ends in this one.
__device__ TilePart Ending(SplitTask const& task, WarpTile const& tile) {
  auto const first = tile.first_segment;
  auto const end = task.table.begin[first + 1];
  if (task.table.begin[first] >= tile.begin || end > tile.end || !IsLive(task, first)) return {};
  return {tile.begin, end};
}

/// Adds a part's residuals to the bins. Every thread of the block calls it, because the caller has barriers.
__device__ void AddPart(SplitTask const& task, LabelLevel const& labels, TilePart const& part, ResidualSum* bins) {
  for (std::int64_t index = part.begin + threadIdx.x; index < part.end; index += kThreads) {
    std::uint32_t const row = task.entries.rows[index];
    AtomicAdd(bins + labels.bin_of_row[row], labels.sum_of_row[row]);
  }
}

/// One block per tile.
__global__ void __launch_bounds__(kThreads) TileSumsKernel(SplitTask task, LabelLevel labels, TileSums sums) {
  __shared__ unsigned long long words[4 * kLabelBins];
  auto* const going_on = reinterpret_cast<ResidualSum*>(words);
  auto* const ending = going_on + kLabelBins;
  static_assert(kThreads == 2 * kLabelBins, "a thread a sum");
  going_on[threadIdx.x] = {};
  __syncthreads();
  WarpTile const tile = TileAt(task.table, task.n_entries, blockIdx.x);
  AddPart(task, labels, GoingOn(task, tile), going_on);
  AddPart(task, labels, Ending(task, tile), ending);
  __syncthreads();
  if (threadIdx.x >= kLabelBins) return;
  std::int64_t const place = static_cast<std::int64_t>(threadIdx.x) * sums.n_tiles + tile.tile;
  sums.weights[place] = static_cast<unsigned long long>(going_on[threadIdx.x].weight);
  sums.products[place] = static_cast<unsigned long long>(going_on[threadIdx.x].product);
  sums.ends[place] = ending[threadIdx.x];
}

}  // namespace

TileSums TileSummer::Sum(CudaContext const& cuda, SplitTask const& task, LabelLevel const& labels) {
  auto const n_tiles = NumTiles(task.n_entries);
  auto const n_sums = static_cast<std::int64_t>(kLabelBins) * n_tiles;
  for (auto* words : {&weights_, &products_}) words->Reserve(cuda, static_cast<std::size_t>(n_sums));
  ends_.Reserve(cuda, static_cast<std::size_t>(n_sums));
  TileSums const sums{weights_.data(), products_.data(), ends_.data(), n_tiles};
  Launch(cuda, static_cast<unsigned>(n_tiles), kThreads, TileSumsKernel, task, labels, sums);
  CubScratch scratch;
  for (auto* words : {weights_.data(), products_.data()}) {
    scratch.Run(cuda, [&](void* temp, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveSum(temp, bytes, words, words, n_sums, cuda.stream);
    });
  }
  return sums;
}

}  // namespace kauri::cuda
