/// A block counts some rows in one tree (or in the cells of one slot) in shared memory and then adds its counts to all.
/// Neighbouring blocks have the same rows and different trees, so that the rows' keys stay in the cache. A tree whose
/// counts do not fit into shared memory is counted in place.
///
/// Cost of a tree of depth 6: 63 keys and comparisons per row, and one addition in shared memory for each of the 22 in
/// 64 leaves that a row reaches.
#include <algorithm>

#include "cuda/common/launch.h"
#include "cuda/dependence/count_rows.h"
#include "predictor/dependence/row_counter.h"

namespace kauri::cuda {
namespace {

/// A row on its way down: 1 + place of the first feature that it misses | the same of the second feature << 16. 0
/// stands for no feature.
using Missed = std::uint32_t;
constexpr Missed kGone = 0xFFFFFFFFU;
constexpr unsigned kSecondPlaceShift = 16;
constexpr Missed kFirstPlaceMask = 0xFFFFU;
constexpr unsigned kAllLanes = 0xFFFFFFFFU;

constexpr int kWarpThreads = 32;
/// Maximum shared memory of the rows' ways down, on devices that have enough.
constexpr std::size_t kWayBytes = std::size_t{96} << 10U;
/// The same of counts.
constexpr std::size_t kCountBytes = std::size_t{64} << 10U;
/// Shared memory of a block, in bytes.
struct CountMemory {
  std::size_t counts;
  std::size_t ways;
};

/// Divides the shared memory that a block of the device may have.
CountMemory MemoryOf(int device) {
  int bytes = 0;
  KAURI_CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  auto const most = static_cast<std::size_t>(bytes);
  auto const counts = std::min(kCountBytes, most / 32 * 16);  // aligned for the ways that follow
  return {counts, std::min(kWayBytes, most - counts)};
}

/// Rows of a block. The most is far below 2^32, so that counts of a block have 32 bits.
constexpr std::int64_t kLeastBlockRows = 1024;
constexpr std::int64_t kMostBlockRows = 16384;
/// Blocks that are enough for any device.
constexpr std::int64_t kManyBlocks = 8192;

/// Returns the rows of a block, if n_parts blocks count the same rows.
std::int64_t BlockRows(std::int64_t n_rows, std::int64_t n_parts) {
  auto const wanted = n_rows / std::max<std::int64_t>(1, kManyBlocks / std::max<std::int64_t>(1, n_parts));
  auto const rounded = (wanted + kLeastBlockRows - 1) / kLeastBlockRows * kLeastBlockRows;
  return std::clamp(rounded, kLeastBlockRows, kMostBlockRows);
}

/// Returns a row after it missed a split on the feature of a place.
template <bool kPairs>
__device__ Missed Miss(Missed row, std::uint32_t place) {
  Missed const first = row & kFirstPlaceMask;
  Missed const second = row >> kSecondPlaceShift;
  if (place == 0) return kGone;
  if (first == place || second == place) return row;
  if (first == 0) return place;
  return kPairs && second == 0 ? row | (place << kSecondPlaceShift) : kGone;
}

struct LeafTask {
  CountTree const* trees;
  CountStep const* steps;
  std::int64_t n_trees;
  std::int64_t most_counts;
  std::int64_t block_rows;
  RowsToCount rows;
  unsigned long long* counts;
};

/// The row of a lane, on its way down a tree. ways: by depth and thread, the row at the right side of a split
/// whose left side comes first.
struct LaneRow {
  std::int64_t row;  ///< any row, if `start` is kGone
  Missed start;
  Missed* ways;
};

template <bool kPairs, typename Count>
__device__ void SendDown(LeafTask const& task, CountTree const& tree, LaneRow const& lane, Count weight,
                         Count* counts) {
  CountStep const* const steps = task.steps + tree.step_begin;
  Missed at = lane.start;
  for (std::uint32_t number = 0; number < tree.n_steps;) {  // the same in all lanes of a warp
    CountStep const step = steps[number];
    if (step.is_left == 0) at = lane.ways[step.depth * blockDim.x];
    if (step.counts >= 0) {
      if (at != kGone) {
        auto const count = LeafCount(step.place, at & kFirstPlaceMask, at >> kSecondPlaceShift);
        atomicAdd(counts + step.counts + count, weight);
      }
      ++number;
    } else if (__any_sync(kAllLanes, at != kGone) == 0) {
      number = step.skip;
    } else {
      std::int32_t const key = task.rows.keys.keys[step.split.slot * task.rows.keys.slot_stride + lane.row];
      bool const goes_right = GoesRight(step.split, key, task.rows.categories);
      Missed const missed = Miss<kPairs>(at, step.place);
      lane.ways[(step.depth + 1) * blockDim.x] = goes_right ? at : missed;
      at = goes_right ? missed : at;
      ++number;
    }
  }
}

template <typename Count>
__device__ Count WeightOf(RowsToCount const& rows, std::int64_t row) {
  if constexpr (sizeof(Count) == sizeof(std::uint32_t)) return 1;
  return rows.weights == nullptr ? 1 : static_cast<Count>(rows.weights[row]);
}

/// Sets counts of a block to 0. Ends in a barrier.
template <typename Count>
__device__ void ClearCounts(std::int64_t n_counts, Count* counts) {
  for (std::int64_t i = threadIdx.x; i < n_counts; i += blockDim.x) counts[i] = 0;
  __syncthreads();
}

/// Adds the counts of a block to all, after a barrier.
template <typename Count>
__device__ void AddCounts(std::int64_t n_counts, Count const* counts, unsigned long long* all) {
  __syncthreads();
  for (std::int64_t i = threadIdx.x; i < n_counts; i += blockDim.x) {
    if (counts[i] != 0) atomicAdd(all + i, static_cast<unsigned long long>(counts[i]));
  }
}

/// Count: of 32 bits for rows without weights, else of 64. Without kShared, it is 64 bits and counts are added in
/// place.
template <typename Count, bool kPairs, bool kShared>
__global__ void CountLeavesKernel(__grid_constant__ LeafTask const task) {
  extern __shared__ __align__(16) unsigned char memory[];
  CountTree const tree = task.trees[blockIdx.x % task.n_trees];
  unsigned long long* const all = task.counts + tree.counts_begin;
  auto* const own = reinterpret_cast<Count*>(memory);
  auto* const ways = reinterpret_cast<Missed*>(memory + (kShared ? task.most_counts * sizeof(Count) : 0));
  if constexpr (kShared) ClearCounts(tree.n_counts, own);
  std::int64_t const begin = blockIdx.x / task.n_trees * task.block_rows;
  std::int64_t const n_rows = task.rows.keys.n_rows;
  std::int64_t const end = begin + task.block_rows < n_rows ? begin + task.block_rows : n_rows;
  for (std::int64_t first = begin; first < end; first += blockDim.x) {
    std::int64_t const row = first + threadIdx.x;
    bool const is_there = row < end;
    LaneRow const lane{is_there ? row : begin, is_there ? 0U : kGone, ways + threadIdx.x};
    Count const weight = WeightOf<Count>(task.rows, lane.row);
    if constexpr (kShared) {
      SendDown<kPairs>(task, tree, lane, weight, own);
    } else {
      SendDown<kPairs>(task, tree, lane, weight, all);
    }
  }
  if constexpr (kShared) AddCounts(tree.n_counts, own, all);
}

struct CellTask {
  AxesView axes;
  std::int64_t block_rows;
  RowsToCount rows;
  unsigned long long* counts;
};

/// Count and kShared: as for CountLeavesKernel.
template <typename Count, bool kShared>
__global__ void CountCellsKernel(__grid_constant__ CellTask const task) {
  extern __shared__ __align__(16) unsigned char memory[];
  std::int64_t const slot = blockIdx.x % task.axes.n_slots;
  std::int64_t const n_cells = task.axes.FirstCell(slot + 1) - task.axes.FirstCell(slot);
  unsigned long long* const all = task.counts + task.axes.FirstCell(slot);
  auto* const own = reinterpret_cast<Count*>(memory);
  if constexpr (kShared) ClearCounts(n_cells, own);
  std::int64_t const begin = blockIdx.x / task.axes.n_slots * task.block_rows;
  std::int64_t const n_rows = task.rows.keys.n_rows;
  std::int64_t const end = begin + task.block_rows < n_rows ? begin + task.block_rows : n_rows;
  std::int32_t const* const keys = task.rows.keys.keys + slot * task.rows.keys.slot_stride;
  for (std::int64_t row = begin + threadIdx.x; row < end; row += blockDim.x) {
    std::int32_t const cell = task.axes.CellOf(slot, keys[row]);
    if constexpr (kShared) {
      atomicAdd(own + cell, WeightOf<Count>(task.rows, row));
    } else {
      atomicAdd(all + cell, WeightOf<Count>(task.rows, row));
    }
  }
  if constexpr (kShared) AddCounts(n_cells, own, all);
}

__global__ void WriteCellsKernel(AxesView axes, RowKeys keys, std::int32_t const* chosen, std::int64_t n_chosen,
                                 std::int32_t* cells) {
  std::int64_t const index = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (index >= keys.n_rows * n_chosen) return;
  std::int32_t const slot = chosen[index % n_chosen];
  cells[index] = slot < 0 ? 0 : axes.CellOf(slot, keys.keys[slot * keys.slot_stride + index / n_chosen]);
}

/// Returns the bytes of a block's counts.
std::size_t BytesOfCounts(std::int64_t n_counts, bool has_weights) {
  return static_cast<std::size_t>(n_counts) * (has_weights ? sizeof(unsigned long long) : sizeof(std::uint32_t));
}

using LeafKernel = void (*)(LeafTask);

LeafKernel KernelFor(bool has_weights, bool has_pairs, bool is_shared) {
  using Wide = unsigned long long;
  if (!is_shared) return has_pairs ? CountLeavesKernel<Wide, true, false> : CountLeavesKernel<Wide, false, false>;
  if (has_weights) return has_pairs ? CountLeavesKernel<Wide, true, true> : CountLeavesKernel<Wide, false, true>;
  return has_pairs ? CountLeavesKernel<std::uint32_t, true, true> : CountLeavesKernel<std::uint32_t, false, true>;
}

}  // namespace

std::int32_t MostCountLevels(int device) {
  return static_cast<std::int32_t>(MemoryOf(device).ways / (kWarpThreads * sizeof(Missed)));
}

CountTrees::CountTrees(CudaContext const& cuda, std::vector<CountTree> const& trees,
                       std::vector<CountStep> const& steps, bool has_pairs, bool has_weights)
    : steps_(ToDevice(cuda, steps)), has_pairs_(has_pairs) {
  auto const memory = MemoryOf(cuda.device);
  way_bytes_ = memory.ways;
  std::vector<CountTree> small;
  std::vector<CountTree> large;
  for (auto const& tree : trees) {
    auto const is_small = BytesOfCounts(tree.n_counts, has_weights) <= memory.counts;
    auto& group = is_small ? small_ : large_;
    (is_small ? small : large).push_back(tree);
    group.most_counts = std::max(group.most_counts, tree.n_counts);
    group.most_levels = std::max(group.most_levels, tree.n_levels);
    ++group.n_trees;
  }
  small_.trees = ToDevice(cuda, small);
  large_.trees = ToDevice(cuda, large);
  cuda.Synchronize();  // for the host's arrays
}

void CountTrees::Add(CudaContext const& cuda, RowsToCount const& rows, unsigned long long* counts) const {
  AddTrees(cuda, small_, true, rows, counts);
  AddTrees(cuda, large_, false, rows, counts);
}

void CountTrees::AddTrees(CudaContext const& cuda, Group const& group, bool is_shared, RowsToCount const& rows,
                          unsigned long long* counts) const {
  if (group.n_trees == 0 || rows.keys.n_rows == 0) return;
  auto const has_weights = rows.weights != nullptr;
  auto n_threads = kBlockThreads;
  while (group.most_levels * n_threads * sizeof(Missed) > way_bytes_) n_threads /= 2;
  auto most_counts = is_shared ? group.most_counts : 0;
  most_counts += most_counts % 2;  // so that what follows is aligned
  auto const block_rows = BlockRows(rows.keys.n_rows, group.n_trees);
  LeafTask const task{group.trees.data(), steps_.data(), group.n_trees, most_counts, block_rows, rows, counts};
  auto const n_blocks = (rows.keys.n_rows + block_rows - 1) / block_rows * group.n_trees;
  auto const bytes = BytesOfCounts(most_counts, has_weights) + group.most_levels * n_threads * sizeof(Missed);
  LaunchShared(cuda, static_cast<unsigned>(n_blocks), n_threads, bytes, KernelFor(has_weights, has_pairs_, is_shared),
               task);
}

void AddCellCounts(CudaContext const& cuda, AxesView const& axes, RowsToCount const& rows, unsigned long long* counts) {
  if (axes.n_slots == 0 || rows.keys.n_rows == 0) return;
  auto const has_weights = rows.weights != nullptr;
  auto const bytes = BytesOfCounts(axes.most_cells, has_weights);
  auto const is_shared = bytes <= MemoryOf(cuda.device).counts;
  auto const block_rows = BlockRows(rows.keys.n_rows, axes.n_slots);
  auto const n_blocks = (rows.keys.n_rows + block_rows - 1) / block_rows * axes.n_slots;
  auto const kernel = !is_shared    ? CountCellsKernel<unsigned long long, false>
                      : has_weights ? CountCellsKernel<unsigned long long, true>
                                    : CountCellsKernel<std::uint32_t, true>;
  LaunchShared(cuda, static_cast<unsigned>(n_blocks), kBlockThreads, is_shared ? bytes : 0, kernel,
               CellTask{axes, block_rows, rows, counts});
}

void WriteCells(CudaContext const& cuda, AxesView const& axes, RowKeys const& keys, std::int32_t const* chosen,
                std::int64_t n_chosen, std::int32_t* cells) {
  Launch(cuda, GridFor(keys.n_rows * n_chosen, kBlockThreads), kBlockThreads, WriteCellsKernel, axes, keys, chosen,
         n_chosen, cells);
}

}  // namespace kauri::cuda
