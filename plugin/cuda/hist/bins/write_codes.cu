/// Codes one group of up to 32 columns at a time:
/// 1. A block copies their cuts to shared memory, cut by cut, each lane's column in the lane's bank. So 32 searches run
///    at a time without a conflict, whatever they read.
/// 2. A warp takes the rows that make 32 codes, reads them side by side and writes a sector, or two of words.
/// If the cuts of a group do not fit (1800 codes in 227 KiB), one thread per value searches them in device memory.
///
/// Floor, 280 M values in bytes on an H200: 1.12 GB in and 0.32 GB out at 4 TB/s, 0.4 ms. The 8 reads of shared memory
/// for each value, 80 M by a warp on 132 multiprocessors, take 0.35 ms at the same time.
#include <algorithm>
#include <limits>

#include "cuda/common/launch.h"
#include "cuda/hist/bins/write_codes.h"

namespace kauri::cuda {
namespace {

/// Threads of a block whose cuts leave no room for another block.
constexpr int kLargeBlock = 1024;
constexpr unsigned kLanes = 32;
/// Minimum number of rows that justify copying cuts to shared memory.
constexpr std::int64_t kLeastBlockRows = 1024;
/// Rows of a thread whose loads are in flight together.
constexpr int kRowsAtOnce = 4;

template <typename Code>
struct GroupTask {
  CodeGroup group;
  FeatureCodes const* features;  ///< from the group's first column on
  float const* cut_values;
  Code* codes;               ///< the group's codes of the part's first row
  std::int64_t code_stride;  ///< from one row to the next
  std::uint32_t n_written;   ///< codes per row of the group, including codes without a column
};

/// Cuts of a lane's column in shared memory.
struct LaneCuts {
  float const* first;
  __device__ float operator[](std::uint32_t cut) const { return first[cut * kLanes]; }
};

/// Does FindBin for several values together, so that the latencies of their searches overlap.
template <int n_values>
__device__ void FindSeveralBins(LaneCuts const& cuts, std::uint32_t n_bins, float const (&values)[n_values],
                                std::uint32_t (&bins)[n_values]) {
#pragma unroll
  for (auto& bin : bins) bin = 0;
  for (auto length = n_bins; length > 1;) {
    auto const half = length / 2;
#pragma unroll
    for (int i = 0; i < n_values; ++i) bins[i] += cuts[bins[i] + half - 1] <= values[i] ? half : 0;
    length -= half;
  }
}

/// Writes cut i of the column of lane l to [i * kLanes + l], and infinity from a column's last cut on, which no value
/// reaches.
template <typename Code>
__device__ void LoadCuts(GroupTask<Code> const& task, float* cuts) {
  auto const column = threadIdx.x % task.group.width;  // the block is a multiple of the width
  bool const is_there = column < task.group.n_columns;
  auto const feature = is_there ? task.features[column] : FeatureCodes{};
  for (auto i = threadIdx.x; i < task.group.n_codes * kLanes; i += blockDim.x) {
    auto const cut = i / kLanes;
    bool const is_cut = is_there && cut + 1 < feature.n_bins;
    cuts[i] = is_cut ? task.cut_values[feature.first_cut + cut] : std::numeric_limits<float>::infinity();
  }
}

template <typename Code>
__global__ void __launch_bounds__(kLargeBlock) GroupKernel(RowPart part, GroupTask<Code> task) {
  extern __shared__ float group_cuts[];
  LoadCuts(task, group_cuts);
  __syncthreads();
  auto const lane = threadIdx.x % kLanes;
  auto const column = lane % task.group.width;
  if (column >= task.n_written) return;
  bool const is_there = column < task.group.n_columns;
  LaneCuts const cuts{group_cuts + lane};
  std::uint32_t const missing_code = is_there ? task.features[column].n_bins : 0;
  auto const* const values = part.values + (task.group.first_column + column) * part.col_stride;
  std::int64_t const step = gridDim.x * static_cast<std::int64_t>(blockDim.x / task.group.width);
  auto const first = blockIdx.x * static_cast<std::int64_t>(blockDim.x / task.group.width);
  for (auto row = first + threadIdx.x / task.group.width; row < part.n_rows; row += kRowsAtOnce * step) {
    float row_values[kRowsAtOnce] = {};
#pragma unroll
    for (int i = 0; i < kRowsAtOnce; ++i) {
      if (is_there && row + i * step < part.n_rows) row_values[i] = values[(row + i * step) * part.row_stride];
    }
    std::uint32_t bins[kRowsAtOnce];
    FindSeveralBins(cuts, task.group.n_codes, row_values, bins);
#pragma unroll
    for (int i = 0; i < kRowsAtOnce; ++i) {
      if (row + i * step >= part.n_rows) break;
      auto const code = row_values[i] == row_values[i] ? bins[i] : missing_code;
      task.codes[(row + i * step) * task.code_stride + column] = static_cast<Code>(is_there ? code : 0);
    }
  }
}

struct WordsTask {
  FeatureCodes const* features;
  float const* cut_values;
  std::uint32_t n_cols;
  std::uint16_t* codes;  ///< of the part's first row
};

__global__ void __launch_bounds__(kBlockThreads) WordsKernel(RowPart part, WordsTask task) {
  auto const element = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (element >= part.n_rows * task.n_cols) return;
  auto const row = element / task.n_cols;
  auto const col = element - row * task.n_cols;
  auto const n_bins = task.features[col].n_bins;
  float const value = part.values[row * part.row_stride + col * part.col_stride];
  auto const* const cuts = task.cut_values + task.features[col].first_cut;
  task.codes[element] = static_cast<std::uint16_t>(value == value ? FindBin(cuts, n_bins, value) : n_bins);
}

/// Returns how many blocks the device runs at a time. Each takes an equal share of the rows, so one more block would
/// run after all others.
template <typename Code>
std::int64_t BlocksAtATime(CudaContext const& cuda, int threads, std::size_t shared) {
  int n_multiprocessors = 0;
  int n_blocks = 0;
  KAURI_CUDA_CHECK(cudaDeviceGetAttribute(&n_multiprocessors, cudaDevAttrMultiProcessorCount, cuda.device));
  KAURI_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n_blocks, GroupKernel<Code>, threads, shared));
  return std::int64_t{n_multiprocessors} * std::max(n_blocks, 1);
}

template <typename Code>
void WriteGroup(CudaContext const& cuda, RowPart const& part, GroupTask<Code> const& task, int threads) {
  auto const shared = sizeof(float) * kLanes * task.group.n_codes;
  auto const n_blocks =
      std::min((part.n_rows + kLeastBlockRows - 1) / kLeastBlockRows, BlocksAtATime<Code>(cuda, threads, shared));
  LaunchShared(cuda, static_cast<unsigned>(n_blocks), threads, shared, GroupKernel<Code>, part, task);
}

void WriteBytes(CudaContext const& cuda, RowPart const& part, DeviceBins const& bins) {
  for (auto const& group : bins.groups) {
    auto* const codes = bins.bytes.data() + group.offset + static_cast<std::uint64_t>(part.first_row) * group.width;
    GroupTask<std::uint8_t> const task{
        group,      bins.device_features.data() + group.first_column, bins.cut_values.data(), codes, group.width,
        group.width};
    WriteGroup(cuda, part, task, kBlockThreads);
  }
}

/// Returns the maximum number of codes per column for which shared memory has room in groups of 32.
std::uint32_t MostSharedCodes(CudaContext const& cuda) {
  int bytes = 0;
  KAURI_CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda.device));
  return static_cast<std::uint32_t>(static_cast<unsigned>(bytes) / (kLanes * sizeof(float)));
}

void WriteWords(CudaContext const& cuda, RowPart const& part, DeviceBins const& bins) {
  auto const n_cols = static_cast<std::uint32_t>(bins.NumCols());
  auto* const codes = bins.words.data() + part.first_row * n_cols;
  std::uint32_t n_codes = 0;
  for (auto const& feature : bins.features) n_codes = std::max(n_codes, feature.n_codes);
  if (n_codes > MostSharedCodes(cuda)) {
    WordsTask const task{bins.device_features.data(), bins.cut_values.data(), n_cols, codes};
    return Launch(cuda, GridFor(part.n_rows * n_cols, kBlockThreads), kBlockThreads, WordsKernel, part, task);
  }
  for (std::uint32_t first = 0; first < n_cols; first += kLanes) {
    auto const n = std::min(kLanes, n_cols - first);
    GroupTask<std::uint16_t> const task{{first, n, kLanes, n_codes, 0},
                                        bins.device_features.data() + first,
                                        bins.cut_values.data(),
                                        codes + first,
                                        n_cols,
                                        n};
    WriteGroup(cuda, part, task, kLargeBlock);
  }
}

}  // namespace

void WriteCodes(CudaContext const& cuda, RowPart const& part, DeviceBins const& bins) {
  (bins.form == CodeForm::kBytes ? WriteBytes : WriteWords)(cuda, part, bins);
}

}  // namespace kauri::cuda
