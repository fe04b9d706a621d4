/// A block takes a leaf:
///   1. Threads write the patterns of the background's rows to shared memory, as sets of missed features. The features
///      with low positions are in the high half of a key, so that keys sort in the host's order of patterns.
///   2. The keys are sorted by a network; the order of equal keys does not matter.
///   3. The first of each run of equal keys is written out. A scan gives its place, a bisection the length of the run.
///
/// Floor, a background of 1,500 rows and a leaf of 16 features: 24,000 features of rows of about 10 lane instructions,
/// and 66 steps of 1,024 exchanges of about 10: 10^6 in all, 0.03 us of an H100 a leaf.
#include <cub/block/block_scan.cuh>

#include "cuda/common/launch.h"
#include "cuda/shap/leaf_rows.cuh"
#include "cuda/shap/pair_patterns.h"

namespace kauri::cuda {
namespace {

constexpr std::uint32_t kMostRows = 8192;
/// Bytes of shared memory that the kernel declares itself, with room to spare.
constexpr std::size_t kOwnBytes = 2048;

using Key = unsigned long long;

/// Converts a pattern to a key that sorts in the order of patterns, and back: it is its own inverse.
__device__ Key SwapHalves(Key word) { return (word << 32U) | (word >> 32U); }

/// features: the leaf's features, with slots. size: length of `keys`, a power of two. Keys after the rows get the
/// largest value.
__device__ void FindKeys(PairTask const& task, PathFeature const* features, std::uint32_t n_features,
                         std::uint32_t size, Key* keys) {
  RowKeys const& rows = task.background;
  for (std::uint32_t row = threadIdx.x; row < size; row += kBlockThreads) {
    Key missed = 0;
    for (std::uint32_t position = 0; row < rows.n_rows && position < n_features; ++position) {
      PathFeature const feature = features[position];
      std::int32_t const key = rows.keys[row * rows.row_stride + feature.Slot() * rows.slot_stride];
      missed |= static_cast<Key>(!Follows(feature, key, task.categories)) << position;
    }
    keys[row] = row < rows.n_rows ? SwapHalves(missed) : ~Key{0};
  }
  __syncthreads();
}

/// Sorts the keys in ascending order, by a bitonic network.
__device__ void SortPatterns(std::uint32_t size, Key* keys) {
  for (std::uint32_t run = 2; run <= size; run *= 2) {
    for (std::uint32_t step = run / 2; step > 0; step /= 2) {
      for (std::uint32_t pair = threadIdx.x; pair < size / 2; pair += kBlockThreads) {
        std::uint32_t const low = (pair & ~(step - 1)) * 2 + (pair & (step - 1));
        bool const ascends = (low & run) == 0;
        Key const a = keys[low];
        Key const b = keys[low + step];
        if ((a > b) != ascends) continue;
        keys[low] = b;
        keys[low + step] = a;
      }
      __syncthreads();
    }
  }
}

/// Returns the end of the run of keys equal to keys[first], among the first `n`.
__device__ std::uint32_t EndOfEqual(Key const* keys, std::uint32_t first, std::uint32_t n) {
  std::uint32_t low = first + 1;
  for (std::uint32_t high = n; low < high;) {
    std::uint32_t const middle = (low + high) / 2;
    keys[middle] == keys[first] ? low = middle + 1 : high = middle;
  }
  return low;
}

/// keys: ascending, the keys of rows first. Returns the number of patterns to all threads.
__device__ std::uint32_t WritePatterns(Key const* keys, std::uint32_t n_rows, double row_weight,
                                       LanePattern* patterns) {
  using Scan = cub::BlockScan<std::uint32_t, kBlockThreads>;
  __shared__ typename Scan::TempStorage storage;
  std::uint32_t n_patterns = 0;
  for (std::uint32_t base = 0; base < n_rows; base += kBlockThreads) {
    std::uint32_t const at = base + threadIdx.x;
    bool const is_first = at < n_rows && (at == 0 || keys[at] != keys[at - 1]);
    std::uint32_t before = 0;
    std::uint32_t n_first = 0;
    Scan(storage).ExclusiveSum(is_first ? 1U : 0U, before, n_first);
    if (is_first) {
      Key const missed = SwapHalves(keys[at]);
      double const count = static_cast<double>(EndOfEqual(keys, at, n_rows) - at);
      patterns[n_patterns + before] = {missed, count * row_weight, static_cast<std::uint32_t>(__popcll(missed))};
    }
    n_patterns += n_first;
    __syncthreads();  // the next turn writes to the storage
  }
  return n_patterns;
}

__global__ void __launch_bounds__(kBlockThreads)
    PairPatternsKernel(__grid_constant__ PairTask const task, std::uint32_t size) {
  extern __shared__ __align__(16) unsigned char memory[];
  __shared__ PathFeature features[kMostPlaces];
  auto* const keys = reinterpret_cast<Key*>(memory);
  std::uint32_t const number = task.numbers[blockIdx.x];
  LaneLeaf const leaf = task.leaves.leaves[number];
  LeafSource const source = task.sources[number];
  for (std::uint32_t position = threadIdx.x; position < leaf.n_features; position += kBlockThreads) {
    features[position] = SlotFeature(task.leaves, leaf, source, position);
  }
  __syncthreads();
  FindKeys(task, features, leaf.n_features, size, keys);
  SortPatterns(size, keys);
  auto const n_rows = static_cast<std::uint32_t>(task.background.n_rows);
  double const row_weight = RowWeight(source, task.background.n_rows);
  std::int64_t const begin = static_cast<std::int64_t>(blockIdx.x) * n_rows;
  std::uint32_t const n_patterns = WritePatterns(keys, n_rows, row_weight, task.patterns + begin);
  if (threadIdx.x != 0) return;
  task.leaves_out[number].begin = begin;
  task.leaves_out[number].n_patterns = n_patterns;
  std::uint32_t const n_reaching = keys[0] == 0 ? EndOfEqual(keys, 0, n_rows) : 0;
  task.reached[number] = static_cast<double>(n_reaching) * row_weight;
}

}  // namespace

std::int64_t MostPairRows(CudaContext const& cuda) {
  int bytes = 0;
  KAURI_CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda.device));
  auto n_rows = kMostRows;
  while (n_rows * sizeof(Key) + kOwnBytes > static_cast<std::size_t>(bytes)) n_rows /= 2;
  return n_rows;
}

void FindPairPatterns(CudaContext const& cuda, PairTask const& task) {
  std::uint32_t size = 1;
  while (size < task.background.n_rows) size *= 2;
  LaunchShared(cuda, static_cast<unsigned>(task.n_leaves), kBlockThreads, size * sizeof(Key), PairPatternsKernel, task,
               size);
}

}  // namespace kauri::cuda
