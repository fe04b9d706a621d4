#include <algorithm>

#include "cuda/common/launch.h"
#include "cuda/hist_vector/add_table_rows.h"
#include "cuda/hist_vector/plan_rows.h"
#include "cuda/hist_vector/row_pieces.cuh"
#include "cuda/hist_vector/shared_places.cuh"

namespace kauri::cuda {
namespace {

/// Minimum number of rows that justify a block's clearing and flushing of its sums.
constexpr std::int64_t kLeastRowsPerBlock = 1024;
constexpr int kWarps = kAddThreads / 32;

/// Adds codes in bytes, one group per launch. blockIdx.x: ranges of rows, and places within them.
template <int kWordsPerRow, int kPlaces>
__global__ void __launch_bounds__(kAddThreads, 1)
    AddBytesKernel(SumTask task, CodeGroup group, std::uint8_t const* codes, SumColumn const* columns) {
  extern __shared__ std::uint32_t shared_sums[];
  std::uint32_t const n_passes = (task.table.n_sums + kPlaces - 1) / kPlaces;
  std::uint32_t const first_place = blockIdx.x % n_passes * kPlaces;
  RowRangeOfBlock range(task.plan, blockIdx.x / n_passes, gridDim.x / n_passes);
  if (range.IsDone()) return;
  SharedPlaces<kWordsPerRow, kPlaces> sums(shared_sums, group, codes, task.table, first_place);
  sums.Clear();
  while (!range.IsDone()) {
    std::uint32_t const node = range.Node();
    RowPieceOfNode const piece = range.Next(task.lists, kRowsPerFlush);
    if (piece.count == 0) continue;
    sums.Add(piece);
    sums.Flush(columns, task.nodes.data()[node].sums);
  }
}

/// Values of one row that a warp adds: the sums of the cells first, first + 1, ... lie side by side.
struct RowSums {
  std::int32_t const* values;
  std::uint32_t n_sums;
  unsigned long long* histogram;

  /// cell_of(i) returns the cell of the row's i-th code; there are n codes.
  template <typename CellOf>
  __device__ void Add(std::uint32_t n, CellOf const& cell_of) const {
    std::uint32_t code = threadIdx.x % 32 / n_sums;
    std::uint32_t place = threadIdx.x % 32 - code * n_sums;
    std::uint32_t const code_step = 32 / n_sums;
    std::uint32_t const place_step = 32 - code_step * n_sums;
    while (code < n) {
      auto const at = static_cast<std::uint64_t>(cell_of(code)) * n_sums + place;
      std::int32_t const value = values[place];
      if (value != 0) atomicAdd(histogram + at, static_cast<unsigned long long>(std::int64_t{value}));
      code += code_step;
      place += place_step;
      if (place < n_sums) continue;
      place -= n_sums;
      ++code;
    }
  }
};

/// Adds codes for which shared memory has no room.
__global__ void __launch_bounds__(kAddThreads)
    AddOthersKernel(SumTask task, CodeView codes, std::uint32_t n_columns, SumColumn const* columns) {
  RowRangeOfBlock const range(task.plan, blockIdx.x, gridDim.x);
  for (std::uint32_t at = range.begin + threadIdx.x / 32; at < range.end; at += kWarps) {
    std::uint32_t const node = NodeOfRow(task.plan, at);
    LaidRows const laid = task.plan.data()[node];
    std::uint32_t const place = laid.begin + at - laid.first_row;
    std::uint64_t const row = laid.buffer < 0 ? place : task.lists.Of(laid.buffer)[place];
    auto* const histogram = reinterpret_cast<unsigned long long*>(task.nodes.data()[node].sums);
    RowSums const sums{task.table.values + row * task.table.stride, task.table.n_sums, histogram};
    if (codes.form == CodeForm::kCells) {
      std::uint32_t const* const cells = codes.cells + codes.row_ptr[row];
      sums.Add(static_cast<std::uint32_t>(codes.row_ptr[row + 1] - codes.row_ptr[row]),
               [&](std::uint32_t i) { return cells[i]; });
    } else {
      std::uint16_t const* const words = codes.words + row * n_columns;
      sums.Add(n_columns, [&](std::uint32_t i) { return columns[i].first_cell + words[i]; });
    }
  }
}

/// Returns the number of row ranges, each of which `n_passes` blocks handle; enough to fill the device twice.
unsigned RangesFor(CudaContext const& cuda, std::int64_t n_rows, std::int64_t n_passes) {
  int n_multiprocessors = 0;
  KAURI_CUDA_CHECK(cudaDeviceGetAttribute(&n_multiprocessors, cudaDevAttrMultiProcessorCount, cuda.device));
  auto const most = std::max<std::int64_t>(1, 2 * n_multiprocessors / n_passes);
  auto const wanted = (n_rows + kLeastRowsPerBlock - 1) / kLeastRowsPerBlock;
  return static_cast<unsigned>(std::clamp<std::int64_t>(wanted, 1, most));
}

std::size_t MostSharedBytes(CudaContext const& cuda) {
  int most = 0;
  KAURI_CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda.device));
  return static_cast<std::size_t>(most);
}

template <int kWordsPerRow, int kPlaces>
void AddBytes(CudaContext const& cuda, DeviceBins const& bins, CodeGroup const& group, SumTask const& task) {
  auto const n_passes = (task.table.n_sums + kPlaces - 1) / kPlaces;
  LaunchShared(cuda, RangesFor(cuda, task.most_rows, n_passes) * n_passes, kAddThreads,
               SharedBytes(group.n_codes, kPlaces), AddBytesKernel<kWordsPerRow, kPlaces>, task, group,
               bins.bytes.data(), bins.device_columns.data());
}

/// Chooses the number of places at a time: what fits into shared memory, up to the number that a row has.
template <int kWordsPerRow>
void AddPlaces(CudaContext const& cuda, DeviceBins const& bins, CodeGroup const& group, SumTask const& task) {
  auto const most = MostSharedBytes(cuda);
  auto const fits = [&](std::uint32_t n) { return n <= task.table.stride && SharedBytes(group.n_codes, n) <= most; };
  if (fits(8)) return AddBytes<kWordsPerRow, 8>(cuda, bins, group, task);
  if (fits(4)) return AddBytes<kWordsPerRow, 4>(cuda, bins, group, task);
  if (fits(2)) return AddBytes<kWordsPerRow, 2>(cuda, bins, group, task);
  AddBytes<kWordsPerRow, 1>(cuda, bins, group, task);
}

void AddGroup(CudaContext const& cuda, DeviceBins const& bins, CodeGroup const& group, SumTask const& task) {
  if (group.width == 4) return AddPlaces<1>(cuda, bins, group, task);
  if (group.width == 8) return AddPlaces<2>(cuda, bins, group, task);
  if (group.width == 16) return AddPlaces<4>(cuda, bins, group, task);
  AddPlaces<8>(cuda, bins, group, task);
}

}  // namespace

void AddTableRows(CudaContext const& cuda, DeviceBins const& bins, SumTask const& task) {
  PlanRows(cuda, task);
  if (bins.form == CodeForm::kBytes) {
    for (auto const& group : bins.groups) AddGroup(cuda, bins, group, task);
    return;
  }
  Launch(cuda, RangesFor(cuda, task.most_rows, 1), kAddThreads, AddOthersKernel, task, ViewOf(bins),
         static_cast<std::uint32_t>(bins.columns.size()), bins.device_columns.data());
}

}  // namespace kauri::cuda
