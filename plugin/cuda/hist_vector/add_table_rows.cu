#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cuda/common/launch.h"
#include "cuda/hist/histogram/shared_sums.cuh"
#include "cuda/hist_vector/add_table_rows.cuh"
#include "cuda/hist_vector/add_table_rows.h"

namespace kauri::cuda {
namespace {

constexpr int kAddThreads = 1024;

constexpr std::size_t SharedBytes(std::uint32_t n_codes, std::uint32_t n_places) {
  return std::size_t{2} * n_places * kBanks * n_codes * sizeof(std::uint32_t);
}

/// kWordsPerRow: words per row, each of four codes.
template <int kWordsPerRow, int kPlaces>
class SharedPlaces {
 public:
  __device__ SharedPlaces(std::uint32_t* sums, CodeGroup const& group, std::uint8_t const* codes,
                          TableOnDevice const& table, std::uint32_t first_place)
      : sums_(sums),
        group_(group),
        plane_(group.n_codes * kBanks),
        codes_(reinterpret_cast<std::uint32_t const*>(codes + group.offset)),
        table_(table),
        first_place_(first_place),
        n_places_(min(static_cast<std::uint32_t>(kPlaces), table.n_sums - first_place)),
        word_(static_cast<int>(threadIdx.x) % kWordsPerRow),
        row_(static_cast<int>(threadIdx.x % 32) / kWordsPerRow) {}

  __device__ void Clear() {
    for (std::uint32_t i = threadIdx.x; i < 2 * kPlaces * plane_; i += kAddThreads) sums_[i] = 0;
    __syncthreads();
  }

  /// Called by all warps of the block. A warp handles 32 rows per turn, some of them with all loads in flight at the
  /// same time.
  __device__ void Add(RowPieceOfNode const& piece) {
    constexpr std::uint32_t kStride = kAddThreads;
    std::uint32_t const lane = threadIdx.x % 32;
    std::uint32_t first = threadIdx.x / 32 * 32;
    std::uint32_t number = first + lane < piece.count ? piece.Number(first + lane) : 0;
    for (; first < piece.count; first += kStride) {
      std::uint32_t const here = number;
      std::uint32_t const next = first + kStride + lane;
      number = next < piece.count ? piece.Number(next) : 0;
#pragma unroll
      for (int step = 0; step < kWordsPerRow; step += kInFlight) AddSteps(piece.count - first, here, step);
    }
  }

  /// Adds the sums to the histogram and clears them.
  __device__ void Flush(SumColumn const* columns, std::int64_t* histogram) {
    __syncthreads();
    std::uint32_t const column = threadIdx.x % kColumns;  // kAddThreads is a multiple of all widths
    bool const is_real = column < group_.n_columns;
    SumColumn const cells = is_real ? columns[group_.first_column + column] : SumColumn{0, 0};
    for (std::uint32_t i = threadIdx.x; i < plane_; i += kAddThreads) {
      std::uint32_t const code = i / kBanks;
      for (std::uint32_t place = 0; place < n_places_; ++place) {
        std::uint32_t* const limbs = sums_ + 2 * place * plane_ + i;
        std::uint32_t const low = limbs[0];
        std::uint32_t const high = limbs[plane_];
        if ((low | high) == 0) continue;
        limbs[0] = 0;
        limbs[plane_] = 0;
        if (code >= cells.n_codes) continue;
        auto const at = static_cast<std::uint64_t>(cells.first_cell + code) * table_.n_sums + first_place_ + place;
        atomicAdd(reinterpret_cast<unsigned long long*>(histogram + at), Joined(low, high));
      }
    }
    __syncthreads();
  }

 private:
  static constexpr int kRowsPerStep = 32 / kWordsPerRow;
  static constexpr std::uint32_t kColumns = 4 * kWordsPerRow;
  /// Number of steps whose loads are in flight at the same time, limited by registers.
  static constexpr int kMostInFlight = kPlaces >= 8 ? 2 : kPlaces >= 4 ? 4 : 8;
  static constexpr int kInFlight = kWordsPerRow < kMostInFlight ? kWordsPerRow : kMostInFlight;

  struct alignas(kPlaces >= 4 ? 16 : 4 * kPlaces) Values {
    std::int32_t of[kPlaces];
  };

  __device__ static unsigned long long Joined(std::uint32_t low, std::uint32_t high) {
    return static_cast<unsigned long long>(static_cast<std::int64_t>(static_cast<std::int32_t>(high)) * 65536 +
                                           static_cast<std::int64_t>(low));
  }

  /// Adds the rows of kInFlight steps, from first_step on. The lanes hold the numbers of 32 rows, or of n_rows if that
  /// is less.
  __device__ void AddSteps(std::uint32_t n_rows, std::uint32_t number, int first_step) {
    std::uint32_t words[kInFlight];
    Values values[kInFlight];
#pragma unroll
    for (int step = 0; step < kInFlight; ++step) {
      std::uint64_t const row = __shfl_sync(0xFFFFFFFFU, number, (first_step + step) * kRowsPerStep + row_);
      words[step] = codes_[row * kWordsPerRow + word_];
      values[step] = *reinterpret_cast<Values const*>(table_.values + row * table_.stride + first_place_);
    }
#pragma unroll
    for (int step = 0; step < kInFlight; ++step) {
      auto const place = static_cast<std::uint32_t>((first_step + step) * kRowsPerStep + row_);
      if (place < n_rows) AddWord(words[step], values[step]);
    }
  }

  /// Adds four codes of one row. In each step, the four rows that share a copy of the columns use four different
  /// columns.
  __device__ void AddWord(std::uint32_t word, Values const& values) {
    int const turn = row_ & 3;
    std::uint32_t const rotated = __funnelshift_r(word, word, 8 * turn);
    std::uint32_t const copy = static_cast<std::uint32_t>(row_ / 4) * kColumns + 4 * static_cast<std::uint32_t>(word_);
#pragma unroll
    for (int step = 0; step < 4; ++step) {
      std::uint32_t const code = rotated >> (8 * step) & 0xFFU;
      std::uint32_t* const cell = sums_ + code * kBanks + copy + static_cast<std::uint32_t>((step + turn) & 3);
#pragma unroll
      for (int place = 0; place < kPlaces; ++place) {
        if (static_cast<std::uint32_t>(place) >= n_places_) break;
        atomicAdd(cell + 2 * place * plane_, static_cast<std::uint32_t>(values.of[place]) & 0xFFFFU);
        atomicAdd(cell + (2 * place + 1) * plane_, static_cast<std::uint32_t>(values.of[place] >> 16));
      }
    }
  }

  std::uint32_t* sums_;
  CodeGroup group_;
  std::uint32_t plane_;
  std::uint32_t const* codes_;
  TableOnDevice table_;
  std::uint32_t first_place_;
  std::uint32_t n_places_;
  int word_;
  int row_;  ///< index among the rows of a step
};

constexpr int kPlanThreads = 1024;
constexpr unsigned kAllLanes = 0xFFFFFFFFU;

__device__ __forceinline__ LaidRows LayRows(NodeSource const& source, std::uint32_t const* n_left) {
  LaidRows rows{0, source.rows.begin, source.rows.count, source.rows.buffer};
  if (source.split < 0) return rows;
  std::uint32_t const left = n_left[2 * source.split];
  rows.buffer = source.rows.buffer == 0 ? 1 : 0;
  rows.begin += source.is_left != 0 ? 0 : left;
  rows.count = source.is_left != 0 ? left : source.rows.count - left;
  return rows;
}

/// Returns the sum of the counts of the threads before this one. *all: the sum of all. of_warp: [kPlanThreads / 32],
/// shared.
__device__ __forceinline__ std::uint32_t BlockScan(std::uint32_t count, std::uint32_t* of_warp, std::uint32_t* all) {
  std::uint32_t inclusive = count;
  for (unsigned step = 1; step < 32; step *= 2) {
    std::uint32_t const other = __shfl_up_sync(kAllLanes, inclusive, step);
    if (threadIdx.x % 32 >= step) inclusive += other;
  }
  if (threadIdx.x % 32 == 31) of_warp[threadIdx.x / 32] = inclusive;
  __syncthreads();
  std::uint32_t before = inclusive - count;
  *all = 0;
  for (std::uint32_t warp = 0; warp < kPlanThreads / 32; ++warp) {
    if (warp < threadIdx.x / 32) before += of_warp[warp];
    *all += of_warp[warp];
  }
  __syncthreads();
  return before;
}

/// Runs as one block.
__global__ void __launch_bounds__(kPlanThreads) PlanKernel(SumTask task) {
  __shared__ std::uint32_t of_warp[kPlanThreads / 32];
  std::uint32_t carry = 0;
  for (std::uint32_t first = 0; first < task.nodes.size(); first += kPlanThreads) {
    std::uint32_t const node = first + threadIdx.x;
    LaidRows rows{};
    if (node < task.nodes.size()) rows = LayRows(task.nodes.data()[node].source, task.n_left);
    std::uint32_t of_all = 0;
    rows.first_row = carry + BlockScan(rows.count, of_warp, &of_all);
    if (node < task.nodes.size()) task.plan.data()[node] = rows;
    carry += of_all;
  }
}

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

void PlanRows(CudaContext const& cuda, SumTask const& task) { Launch(cuda, 1, kPlanThreads, PlanKernel, task); }

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
