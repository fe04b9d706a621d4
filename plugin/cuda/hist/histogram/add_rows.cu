#include <algorithm>

#include "cuda/common/launch.h"
#include "cuda/hist/histogram/add_rows.h"
#include "cuda/hist/histogram/shared_sums.cuh"
#include "cuda/hist/rows/find_stretch.cuh"

namespace kauri::cuda {
namespace {

using Word = unsigned long long;

constexpr int kPlanThreads = 1024;
constexpr int kThreads = kSumThreads;
constexpr int kWarps = kThreads / 32;
constexpr unsigned kAllLanes = 0xFFFFFFFFU;

__device__ __forceinline__ PlannedRows StretchOf(HistogramNode const& node, std::uint32_t const* n_left) {
  PlannedRows rows{0, node.rows.begin, node.rows.count, node.rows.buffer};
  if (node.split < 0) return rows;
  std::uint32_t const left = n_left[2 * node.split];
  rows.buffer = node.rows.buffer == 0 ? 1 : 0;
  rows.begin += node.is_left != 0 ? 0 : left;
  rows.count = node.is_left != 0 ? left : node.rows.count - left;
  return rows;
}

/// One block: lays the rows of the nodes end to end.
__global__ void __launch_bounds__(kPlanThreads) PlanKernel(AddTask task) {
  __shared__ std::uint32_t of_warp[kPlanThreads / 32];
  __shared__ std::uint32_t carry;
  if (threadIdx.x == 0) carry = 0;
  __syncthreads();
  std::uint32_t const n_nodes = static_cast<std::uint32_t>(task.nodes.size());
  int const lane = static_cast<int>(threadIdx.x % 32);
  for (std::uint32_t first = 0; first < n_nodes; first += kPlanThreads) {
    std::uint32_t const node = first + threadIdx.x;
    PlannedRows rows{};
    if (node < n_nodes) rows = StretchOf(task.nodes.data()[node], task.n_left);
    std::uint32_t inclusive = rows.count;
    for (int step = 1; step < 32; step *= 2) {
      std::uint32_t const other = __shfl_up_sync(kAllLanes, inclusive, static_cast<unsigned>(step));
      if (lane >= step) inclusive += other;
    }
    if (lane == 31) of_warp[threadIdx.x / 32] = inclusive;
    __syncthreads();
    std::uint32_t before = carry;
    for (std::uint32_t warp = 0; warp < threadIdx.x / 32; ++warp) before += of_warp[warp];
    rows.first_row = before + inclusive - rows.count;
    if (node < n_nodes) task.plan.data()[node] = rows;
    __syncthreads();
    if (threadIdx.x == kPlanThreads - 1) carry = before + inclusive;
    __syncthreads();
  }
}

__device__ __forceinline__ BlockRange RangeOf(Span<PlannedRows> plan) {
  PlannedRows const& last = plan.data()[plan.size() - 1];
  return RangeOfBlock(last.first_row + last.count);
}

__device__ __forceinline__ std::uint32_t NodeAt(Span<PlannedRows> plan, std::uint32_t row) {
  return FindStretch(static_cast<std::uint32_t>(plan.size()), row,
                     [&](std::uint32_t node) { return plan.data()[node].first_row; });
}

/// Codes in bytes: one group a launch.
template <int kWordsPerRow>
__global__ void __launch_bounds__(kThreads, 1)
    AddBytesKernel(AddTask task, CodeGroup group, std::uint8_t const* codes, SumColumn const* columns) {
  extern __shared__ std::uint32_t shared_sums[];
  BlockRange range = RangeOf(task.plan);
  if (range.begin == range.end) return;
  SharedSums<kWordsPerRow> sums(shared_sums, group, codes, task.pairs);
  sums.Clear();
  std::uint32_t node = NodeAt(task.plan, range.begin);
  while (range.begin < range.end) {
    PlannedRows const rows = task.plan.data()[node];
    std::uint32_t const skipped = range.begin - rows.first_row;
    std::uint32_t const count = min(min(rows.count - skipped, range.end - range.begin), kRowsPerFlush);
    if (count > 0) {
      std::uint32_t const* const list = rows.buffer < 0 ? nullptr : task.rows.Of(rows.buffer) + rows.begin + skipped;
      sums.Add({list, rows.begin + skipped, count});
      sums.Flush(group, columns, task.nodes.data()[node].histogram);
    }
    range.begin += count;
    if (range.begin == rows.first_row + rows.count) ++node;
  }
}

/// The codes of one row, or its cells, by a warp.
struct RowCells {
  CodeView const& codes;
  CodeGroup const* groups;
  SumColumn const* columns;
  std::uint32_t n_columns;

  /// Calls add(cell) for the lane's share.
  template <typename Add>
  __device__ void ForEach(std::uint64_t row, Add&& add) const {
    std::uint32_t const lane = threadIdx.x % 32;
    if (codes.form == CodeForm::kCells) {
      for (std::int64_t i = codes.row_ptr[row] + lane; i < codes.row_ptr[row + 1]; i += 32) add(codes.cells[i]);
      return;
    }
    for (std::uint32_t column = lane; column < n_columns; column += 32) {
      add(columns[column].first_cell +
          (codes.form == CodeForm::kWords ? codes.words[row * n_columns + column] : ByteOf(row, column)));
    }
  }

 private:
  __device__ std::uint32_t ByteOf(std::uint64_t row, std::uint32_t column) const {
    CodeGroup const& group = groups[column / groups[0].n_columns];
    return codes.bytes[group.offset + row * group.width + column - group.first_column];
  }
};

/// Codes that shared memory has no room for: a warp a row, additions in the second-level cache.
__global__ void __launch_bounds__(kThreads) AddOthersKernel(AddTask task, CodeView codes, CodeGroup const* groups,
                                                            SumColumn const* columns, std::uint32_t n_columns) {
  BlockRange const range = RangeOf(task.plan);
  RowCells const cells{codes, groups, columns, n_columns};
  for (std::uint32_t at = range.begin + threadIdx.x / 32; at < range.end; at += kWarps) {
    std::uint32_t const node = NodeAt(task.plan, at);
    PlannedRows const rows = task.plan.data()[node];
    std::uint32_t const place = rows.begin + at - rows.first_row;
    std::uint32_t const row = rows.buffer < 0 ? place : task.rows.Of(rows.buffer)[place];
    FixedPair const pair = task.pairs[row];
    auto* const histogram = reinterpret_cast<Word*>(task.nodes.data()[node].histogram);
    cells.ForEach(row, [&](std::uint64_t cell) {
      atomicAdd(histogram + 2 * cell, static_cast<Word>(std::int64_t{pair.gradient}));
      atomicAdd(histogram + 2 * cell + 1, static_cast<Word>(std::int64_t{pair.hessian}));
    });
  }
}

template <int kWordsPerRow>
void AddBytes(CudaContext const& cuda, DeviceBins const& bins, CodeGroup const& group, AddTask const& task) {
  LaunchShared(cuda, SumBlocks(cuda, task.most_rows), kThreads, BytesOfSums(group), AddBytesKernel<kWordsPerRow>, task,
               group, bins.bytes.data(), bins.device_columns.data());
}

void AddGroup(CudaContext const& cuda, DeviceBins const& bins, CodeGroup const& group, AddTask const& task) {
  if (group.width == 4) return AddBytes<1>(cuda, bins, group, task);
  if (group.width == 8) return AddBytes<2>(cuda, bins, group, task);
  if (group.width == 16) return AddBytes<4>(cuda, bins, group, task);
  AddBytes<8>(cuda, bins, group, task);
}

bool FitsShared(CudaContext const& cuda, DeviceBins const& bins) {
  int most = 0;
  KAURI_CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda.device));
  return std::all_of(bins.groups.begin(), bins.groups.end(),
                     [&](CodeGroup const& group) { return BytesOfSums(group) <= static_cast<std::size_t>(most); });
}

}  // namespace

void AddRows(CudaContext const& cuda, DeviceBins const& bins, AddTask const& task) {
  Launch(cuda, 1, kPlanThreads, PlanKernel, task);
  if (bins.form == CodeForm::kBytes && FitsShared(cuda, bins)) {
    for (auto group = task.first_group; group < bins.groups.size(); ++group) {
      AddGroup(cuda, bins, bins.groups[group], task);
    }
    return;
  }
  Launch(cuda, SumBlocks(cuda, task.most_rows), kThreads, AddOthersKernel, task, ViewOf(bins),
         bins.device_groups.data(), bins.device_columns.data(), static_cast<std::uint32_t>(bins.columns.size()));
}

}  // namespace kauri::cuda
