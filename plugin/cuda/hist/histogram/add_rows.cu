#include <algorithm>

#include "cuda/common/launch.h"
#include "cuda/hist/histogram/add_rows.h"
#include "cuda/hist/rows/find_stretch.cuh"

namespace kauri::cuda {
namespace {

using Word = unsigned long long;

constexpr int kPlanThreads = 1024;
constexpr int kThreads = 1024;
constexpr int kWarps = kThreads / 32;
constexpr unsigned kAllLanes = 0xFFFFFFFFU;
constexpr std::uint32_t kLimbs = 4;
constexpr std::uint32_t kBanks = 32;
/// Limbs of 16 bits of so many rows fit into words of 32.
constexpr std::uint32_t kRowsPerFlush = 65536;
/// So many rows pay for a block's clearing and flushing of its sums.
constexpr std::int64_t kLeastRowsPerBlock = 1024;

/// Clears the histograms: blockIdx.y is the node.
__global__ void ClearKernel(Span<HistogramNode const> nodes, std::uint32_t n_cells) {
  for (std::uint32_t node = blockIdx.y; node < nodes.size(); node += gridDim.y) {
    auto* const cells = reinterpret_cast<ulonglong2*>(nodes.data()[node].histogram);
    std::uint32_t const cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell < n_cells) cells[cell] = {0, 0};
  }
}

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
    rows.first_tile = before + inclusive - rows.count;
    if (node < n_nodes) task.plan.data()[node] = rows;
    __syncthreads();
    if (threadIdx.x == kPlanThreads - 1) carry = before + inclusive;
    __syncthreads();
  }
}

/// The rows that a block has to add, over all nodes.
struct BlockRange {
  std::uint32_t begin;
  std::uint32_t end;
};

__device__ __forceinline__ BlockRange RangeOf(Span<PlannedRows> plan) {
  PlannedRows const& last = plan.data()[plan.size() - 1];
  Word const n_rows = static_cast<Word>(last.first_tile) + last.count;
  return {static_cast<std::uint32_t>(n_rows * blockIdx.x / gridDim.x),
          static_cast<std::uint32_t>(n_rows * (blockIdx.x + 1) / gridDim.x)};
}

/// Consecutive rows of one node.
struct RowPiece {
  std::uint32_t const* rows;  ///< their numbers, or nullptr: from `begin` on
  std::uint32_t begin;
  std::uint32_t count;
};

/// Sums of one group of code columns in shared memory. kWordsPerRow: words of four codes that a row has.
template <int kWordsPerRow>
class SharedSums {
 public:
  static constexpr int kRowsPerStep = 32 / kWordsPerRow;
  static constexpr int kSteps = kWordsPerRow;  ///< for 32 rows
  static constexpr std::uint32_t kColumns = 4 * kWordsPerRow;

  __device__ SharedSums(std::uint32_t* sums, CodeGroup const& group, std::uint8_t const* codes, FixedPair const* pairs)
      : sums_(sums),
        plane_(group.n_codes * kBanks),
        codes_(reinterpret_cast<std::uint32_t const*>(codes + group.offset)),
        pairs_(pairs),
        word_(static_cast<int>(threadIdx.x) % kWordsPerRow),
        row_(static_cast<int>(threadIdx.x % 32) / kWordsPerRow) {}

  __device__ void Clear() {
    for (std::uint32_t i = threadIdx.x; i < kLimbs * plane_; i += kThreads) sums_[i] = 0;
    __syncthreads();
  }

  /// All warps of the block call it. 32 rows a warp and turn; all loads of a turn are under way at the same time.
  __device__ void Add(RowPiece const& piece) {
    std::uint32_t const lane = threadIdx.x % 32;
    std::uint32_t first = threadIdx.x / 32 * 32;
    std::uint32_t number = first + lane < piece.count ? NumberOf(piece, first + lane) : 0;
    for (; first < piece.count; first += 32 * kWarps) {
      std::uint32_t words[kSteps];
      FixedPair pairs[kSteps];
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
        std::uint32_t const row = __shfl_sync(kAllLanes, number, step * kRowsPerStep + row_);
        words[step] = codes_[static_cast<std::uint64_t>(row) * kWordsPerRow + word_];
        pairs[step] = pairs_[row];
      }
      std::uint32_t const next = first + 32 * kWarps + lane;
      number = next < piece.count ? NumberOf(piece, next) : 0;
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
        std::uint32_t const place = first + static_cast<std::uint32_t>(step * kRowsPerStep + row_);
        if (place < piece.count) AddWord(words[step], pairs[step]);
      }
    }
  }

  /// Adds the sums to the histogram and clears them.
  __device__ void Flush(CodeGroup const& group, CodeColumn const* columns, FixedSum* histogram) {
    __syncthreads();
    std::uint32_t const column = threadIdx.x % kColumns;  // kThreads is a multiple of all widths
    bool const is_real = column < group.n_columns;
    CodeColumn const cells = is_real ? columns[group.first_column + column] : CodeColumn{0, 0};
    for (std::uint32_t i = threadIdx.x; i < plane_; i += kThreads) {
      std::uint32_t const limbs[kLimbs] = {sums_[i], sums_[i + plane_], sums_[i + 2 * plane_], sums_[i + 3 * plane_]};
      if ((limbs[0] | limbs[1] | limbs[2] | limbs[3]) == 0) continue;
      for (std::uint32_t limb = 0; limb < kLimbs; ++limb) sums_[i + limb * plane_] = 0;
      std::uint32_t const code = i / kBanks;
      if (code >= cells.n_codes) continue;
      auto* const cell = reinterpret_cast<Word*>(histogram + cells.first_cell + code);
      atomicAdd(cell, Joined(limbs[0], limbs[1]));
      atomicAdd(cell + 1, Joined(limbs[2], limbs[3]));
    }
    __syncthreads();
  }

 private:
  __device__ static std::uint32_t NumberOf(RowPiece const& piece, std::uint32_t place) {
    return piece.rows == nullptr ? piece.begin + place : piece.rows[place];
  }
  __device__ static Word Joined(std::uint32_t low, std::uint32_t high) {
    return static_cast<Word>(static_cast<std::int64_t>(static_cast<std::int32_t>(high)) * 65536 +
                             static_cast<std::int64_t>(low));
  }

  /// Four codes of one row. In each step the four rows that share a copy of the columns are at four different ones.
  __device__ void AddWord(std::uint32_t word, FixedPair pair) {
    int const turn = row_ & 3;
    std::uint32_t const rotated = __funnelshift_r(word, word, 8 * turn);
    std::uint32_t const copy = static_cast<std::uint32_t>(row_ / 4) * kColumns + 4 * static_cast<std::uint32_t>(word_);
    std::uint32_t const limbs[kLimbs] = {
        static_cast<std::uint32_t>(pair.gradient) & 0xFFFFU, static_cast<std::uint32_t>(pair.gradient >> 16),
        static_cast<std::uint32_t>(pair.hessian) & 0xFFFFU, static_cast<std::uint32_t>(pair.hessian >> 16)};
#pragma unroll
    for (int step = 0; step < 4; ++step) {
      std::uint32_t const code = rotated >> (8 * step) & 0xFFU;
      std::uint32_t* const cell = sums_ + code * kBanks + copy + static_cast<std::uint32_t>((step + turn) & 3);
#pragma unroll
      for (std::uint32_t limb = 0; limb < kLimbs; ++limb) atomicAdd(cell + limb * plane_, limbs[limb]);
    }
  }

  std::uint32_t* sums_;
  std::uint32_t plane_;
  std::uint32_t const* codes_;
  FixedPair const* pairs_;
  int word_;
  int row_;  ///< of those of a step
};

/// Codes in bytes: one group a launch.
template <int kWordsPerRow>
__global__ void __launch_bounds__(kThreads, 1)
    AddBytesKernel(AddTask task, CodeGroup group, std::uint8_t const* codes, CodeColumn const* columns) {
  extern __shared__ std::uint32_t shared_sums[];
  BlockRange range = RangeOf(task.plan);
  if (range.begin == range.end) return;
  SharedSums<kWordsPerRow> sums(shared_sums, group, codes, task.pairs);
  sums.Clear();
  std::uint32_t node = FindStretch(task.plan.data(), static_cast<std::uint32_t>(task.plan.size()), range.begin);
  while (range.begin < range.end) {
    PlannedRows const rows = task.plan.data()[node];
    std::uint32_t const skipped = range.begin - rows.first_tile;
    std::uint32_t const count = min(min(rows.count - skipped, range.end - range.begin), kRowsPerFlush);
    if (count > 0) {
      std::uint32_t const* const list = rows.buffer < 0 ? nullptr : task.rows.Of(rows.buffer) + rows.begin + skipped;
      sums.Add({list, rows.begin + skipped, count});
      sums.Flush(group, columns, task.nodes.data()[node].histogram);
    }
    range.begin += count;
    if (range.begin == rows.first_tile + rows.count) ++node;
  }
}

/// Codes that shared memory has no room for: a warp a row, additions in the second-level cache.
__global__ void __launch_bounds__(kThreads)
    AddOthersKernel(AddTask task, CodeView codes, std::uint32_t n_columns, CodeColumn const* columns) {
  BlockRange const range = RangeOf(task.plan);
  std::uint32_t const lane = threadIdx.x % 32;
  for (std::uint32_t at = range.begin + threadIdx.x / 32; at < range.end; at += kWarps) {
    std::uint32_t const node = FindStretch(task.plan.data(), static_cast<std::uint32_t>(task.plan.size()), at);
    PlannedRows const rows = task.plan.data()[node];
    std::uint32_t const place = rows.begin + at - rows.first_tile;
    std::uint64_t const row = rows.buffer < 0 ? place : task.rows.Of(rows.buffer)[place];
    FixedPair const pair = task.pairs[row];
    auto* const histogram = reinterpret_cast<Word*>(task.nodes.data()[node].histogram);
    bool const is_sparse = codes.form == CodeForm::kCells;
    std::int64_t const first = is_sparse ? codes.row_ptr[row] : static_cast<std::int64_t>(row * n_columns);
    std::int64_t const last = is_sparse ? codes.row_ptr[row + 1] : first + n_columns;
    for (std::int64_t i = first + lane; i < last; i += 32) {
      std::uint32_t const cell = is_sparse ? codes.cells[i] : columns[i - first].first_cell + codes.words[i];
      atomicAdd(histogram + 2 * static_cast<std::uint64_t>(cell), static_cast<Word>(std::int64_t{pair.gradient}));
      atomicAdd(histogram + 2 * static_cast<std::uint64_t>(cell) + 1, static_cast<Word>(std::int64_t{pair.hessian}));
    }
  }
}

int NumMultiprocessors(CudaContext const& cuda) {
  int n = 0;
  KAURI_CUDA_CHECK(cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, cuda.device));
  return n;
}

/// Blocks for so many rows.
unsigned BlocksFor(CudaContext const& cuda, std::int64_t n_rows) {
  auto const wanted = (n_rows + kLeastRowsPerBlock - 1) / kLeastRowsPerBlock;
  return static_cast<unsigned>(std::clamp<std::int64_t>(wanted, 1, NumMultiprocessors(cuda)));
}

template <int kWordsPerRow>
void AddBytes(CudaContext const& cuda, DeviceBins const& bins, CodeGroup const& group, AddTask const& task) {
  auto const bytes = std::size_t{kLimbs} * kBanks * group.n_codes * sizeof(std::uint32_t);
  LaunchShared(cuda, BlocksFor(cuda, task.most_rows), kThreads, bytes, AddBytesKernel<kWordsPerRow>, task, group,
               bins.bytes.data(), bins.device_columns.data());
}

void AddGroup(CudaContext const& cuda, DeviceBins const& bins, CodeGroup const& group, AddTask const& task) {
  if (group.width == 4) return AddBytes<1>(cuda, bins, group, task);
  if (group.width == 8) return AddBytes<2>(cuda, bins, group, task);
  if (group.width == 16) return AddBytes<4>(cuda, bins, group, task);
  AddBytes<8>(cuda, bins, group, task);
}

}  // namespace

void AddRows(CudaContext const& cuda, DeviceBins const& bins, AddTask const& task) {
  constexpr int kClearThreads = 256;
  constexpr std::size_t kMaxGridY = 65535;
  dim3 const clear(GridFor(bins.n_cells, kClearThreads), static_cast<unsigned>(std::min(task.nodes.size(), kMaxGridY)));
  LaunchGrid(cuda, clear, kClearThreads, ClearKernel, task.nodes, bins.n_cells);
  Launch(cuda, 1, kPlanThreads, PlanKernel, task);
  if (bins.form == CodeForm::kBytes) {
    for (auto const& group : bins.groups) AddGroup(cuda, bins, group, task);
    return;
  }
  Launch(cuda, BlocksFor(cuda, task.most_rows), kThreads, AddOthersKernel, task, ViewOf(bins),
         static_cast<std::uint32_t>(bins.columns.size()), bins.device_columns.data());
}

}  // namespace kauri::cuda
