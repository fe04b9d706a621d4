/// Bytes per row and tree (one output): FindLargest 8 in; Quantise 8 in, 8 out; AddLeaves 4 and 4 in, 4 out.
/// QuantiseRound and AddRoundLeaves take the same for each output. One by one, the outputs would also read their
/// neighbours' pairs.
/// AddLeafVectors: 4 for the leaf, and per output 4 in, 4 out.
#include <algorithm>

#include "cuda/common/launch.h"
#include "cuda/common/place_walk.cuh"
#include "cuda/engine/round_kernels.h"
#include "engine/resolution_watch.h"
#include "tree/sampling/sampling.h"

namespace kauri::cuda {
namespace {

/// Maximum number of blocks of a reduction: enough to fill a device, and few enough for one atomic each.
constexpr unsigned kMaxBlocks = 1024;
constexpr std::int64_t kMaxGridY = 65535;

__device__ __forceinline__ std::int64_t GridIndex() {
  return static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
}

__device__ __forceinline__ std::uint32_t MagnitudeBits(float value) { return __float_as_uint(value) & 0x7FFFFFFFU; }

__device__ __forceinline__ std::uint32_t WarpMax(std::uint32_t value) {
  for (int step = 16; step > 0; step /= 2) value = max(value, __shfl_xor_sync(0xFFFFFFFFU, value, step));
  return value;
}

/// Maximum number of sources per launch.
constexpr std::size_t kMostSources = 8;

struct LargestSources {
  LargestMagnitude const* largest[kMostSources];
  int n;
};

__global__ void __launch_bounds__(kBlockThreads)
    TakeLargerKernel(LargestSources sources, std::int64_t n_outputs, LargestMagnitude* largest) {
  std::int64_t const output = GridIndex();
  if (output >= n_outputs) return;
  LargestMagnitude most = largest[output];
  for (int source = 0; source < sources.n; ++source) {
    LargestMagnitude const theirs = sources.largest[source][output];
    most = {max(most.gradient, theirs.gradient), max(most.hessian, theirs.hessian)};
  }
  largest[output] = most;
}

/// Maximum number of outputs for which a block keeps the largest magnitudes in shared memory.
constexpr std::int64_t kMostShared = 1024;

/// Finds the largest magnitudes of several outputs, reading all pairs in their order. n_pairs: of all outputs. stride:
/// a multiple of n_outputs, so that each thread reads pairs of one output.
__global__ void __launch_bounds__(kBlockThreads)
    LargestOfAllKernel(GradientPair const* pairs, std::int64_t n_pairs, std::int64_t n_outputs, std::int64_t stride,
                       LargestMagnitude* largest) {
  __shared__ LargestMagnitude of_block[kMostShared];
  for (std::int64_t output = threadIdx.x; output < n_outputs; output += kBlockThreads) of_block[output] = {0, 0};
  __syncthreads();
  std::int64_t const first = GridIndex();
  LargestMagnitude most{0, 0};
  for (std::int64_t i = first; i < n_pairs && first < stride; i += stride) {
    GradientPair const pair = pairs[i];
    most = {max(most.gradient, MagnitudeBits(pair.gradient)), max(most.hessian, MagnitudeBits(pair.hessian))};
  }
  if (first < stride) {
    atomicMax(&of_block[first % n_outputs].gradient, most.gradient);
    atomicMax(&of_block[first % n_outputs].hessian, most.hessian);
  }
  __syncthreads();
  for (std::int64_t output = threadIdx.x; output < n_outputs; output += kBlockThreads) {
    atomicMax(&largest[output].gradient, of_block[output].gradient);
    atomicMax(&largest[output].hessian, of_block[output].hessian);
  }
}

/// Rows of a thread that a kernel reads at once, one turn of all blocks apart.
constexpr int kRowsInFlight = 4;

/// Calls act(row, pair of the row) for the rows of a thread. The thread waits once for several rows.
template <typename Act>
__device__ __forceinline__ void VisitPairs(GradientPair const* pairs, std::int64_t n_rows, std::int64_t n_outputs,
                                           Act&& act) {
  std::int64_t const stride = static_cast<std::int64_t>(gridDim.x) * kBlockThreads;
  for (std::int64_t first = GridIndex(); first < n_rows; first += kRowsInFlight * stride) {
    GradientPair read[kRowsInFlight];
#pragma unroll
    for (int i = 0; i < kRowsInFlight; ++i) read[i] = pairs[min(first + i * stride, n_rows - 1) * n_outputs];
#pragma unroll
    for (int i = 0; i < kRowsInFlight; ++i) {
      if (first + i * stride < n_rows) act(first + i * stride, read[i]);
    }
  }
}

/// blockIdx.y: the output.
__global__ void __launch_bounds__(kBlockThreads)
    LargestMagnitudesKernel(GradientPair const* pairs, std::int64_t n_rows, std::int64_t n_outputs,
                            LargestMagnitude* largest) {
  for (std::int64_t output = blockIdx.y; output < n_outputs; output += gridDim.y) {
    std::uint32_t gradient = 0;
    std::uint32_t hessian = 0;
    VisitPairs(pairs + output, n_rows, n_outputs, [&](std::int64_t /*row*/, GradientPair pair) {
      gradient = max(gradient, MagnitudeBits(pair.gradient));
      hessian = max(hessian, MagnitudeBits(pair.hessian));
    });
    gradient = WarpMax(gradient);
    hessian = WarpMax(hessian);
    if (threadIdx.x % 32 == 0) {
      atomicMax(&largest[output].gradient, gradient);
      atomicMax(&largest[output].hessian, hessian);
    }
  }
}

__global__ void __launch_bounds__(kBlockThreads)
    FirstNotFiniteKernel(GradientPair const* pairs, std::int64_t n_rows, std::int64_t n_outputs, std::int64_t output,
                         unsigned long long* first) {
  std::int64_t const row = GridIndex();
  if (row >= n_rows) return;
  GradientPair const pair = pairs[row * n_outputs + output];
  if (isfinite(pair.gradient) && isfinite(pair.hessian)) return;
  atomicMin(first, static_cast<unsigned long long>(row));
}

/// Copies the rows of WatchedRow (engine/resolution_watch.h).
__global__ void __launch_bounds__(kBlockThreads)
    WatchedPairsKernel(GradientPair const* pairs, std::int64_t n_rows, std::int64_t n_outputs, std::int64_t output,
                       Span<GradientPair> watched) {
  std::int64_t const i = GridIndex();
  std::int64_t const n_watched = static_cast<std::int64_t>(watched.size());
  if (i < n_watched) watched.data()[i] = pairs[i * n_rows / n_watched * n_outputs + output];
}

__device__ __forceinline__ std::int64_t WarpSum(std::int64_t value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xFFFFFFFFU, value, step);
  return value;
}

/// Integer additions commute, so atomics are deterministic.
__device__ __forceinline__ void AddToSum(FixedSum own, FixedSum* sum) {
  own = {WarpSum(own.gradient), WarpSum(own.hessian)};
  if (threadIdx.x % 32 != 0) return;
  auto* const words = reinterpret_cast<unsigned long long*>(sum);
  atomicAdd(words, static_cast<unsigned long long>(own.gradient));
  atomicAdd(words + 1, static_cast<unsigned long long>(own.hessian));
}

__device__ __forceinline__ SmallPair SmallOf(FixedPair pair) {
  return make_char2(static_cast<signed char>(pair.gradient), static_cast<signed char>(pair.hessian));
}

__global__ void __launch_bounds__(kBlockThreads) QuantiseKernel(QuantiseTask task) {
  GradientRounding const rounding = task.sample.rounding;
  RoundingShifts shifts{};
  if (rounding.bits > 0) shifts = task.largest->Shifts(rounding.bits);
  GradientUnit const unit = task.largest->Unit();
  GradientUnit const steps{1.0 / unit.gradient, 1.0 / unit.hessian};
  GradientPair const* const from = task.gradients.pairs.data() + task.output;
  std::int64_t const n_rows = static_cast<std::int64_t>(task.pairs.size());
  FixedSum sum;
  VisitPairs(from, n_rows, task.gradients.n_outputs, [&](std::int64_t row, GradientPair of_row) {
    bool const used = task.sample.IsUsed(row);
    FixedPair pair = used ? QuantisePair(of_row, steps) : FixedPair{0, 0};
    if (rounding.bits > 0) {
      pair = RoundPair(pair, shifts, rounding.key, task.sample.first_row + row);
      task.small.data()[row] = SmallOf(pair);
    }
    task.pairs.data()[row] = pair;
    if (!task.sampled.empty()) task.sampled.data()[row] = used ? 1 : 0;
    sum += pair;
  });
  AddToSum(sum, &task.totals->sum);
  if (GridIndex() == 0) task.totals->unit = task.largest->UnitOfBits(rounding.bits);
}

/// Rows per thread. A block reads the gradients of its rows once, for all outputs.
constexpr int kRowsPerThread = 8;

__global__ void __launch_bounds__(kBlockThreads) QuantiseRoundKernel(QuantiseRoundTask task, std::int64_t n_rows) {
  std::int64_t const first = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads * kRowsPerThread + threadIdx.x;
  std::int64_t const n_outputs = task.gradients.n_outputs;
  GradientPair const* const from = task.gradients.pairs.data();
  for (std::int64_t output = 0; output < n_outputs; ++output) {
    GradientUnit const unit = task.largest[output].Unit();
    GradientUnit const steps{1.0 / unit.gradient, 1.0 / unit.hessian};
    RoundingShifts shifts{};
    if (task.rounding.bits > 0) shifts = task.largest[output].Shifts(task.rounding.bits);
    std::uint64_t const key = RoundingKey(task.rounding.key, task.first_tree + output);
    FixedSum sum;
#pragma unroll
    for (int step = 0; step < kRowsPerThread; ++step) {
      std::int64_t const row = first + step * kBlockThreads;
      if (row >= n_rows) continue;
      FixedPair pair = QuantisePair(from[row * n_outputs + output], steps);
      if (task.rounding.bits > 0) {
        pair = RoundPair(pair, shifts, key, row);
        task.small[output * n_rows + row] = SmallOf(pair);
      }
      task.pairs[output * n_rows + row] = pair;
      sum += pair;
    }
    AddToSum(sum, &task.totals[output].sum);
    if (GridIndex() == 0) task.totals[output].unit = task.largest[output].UnitOfBits(task.rounding.bits);
  }
}

__global__ void __launch_bounds__(kBlockThreads)
    AddLeavesKernel(float const* leaf_values, Span<std::int32_t const> leaf_of_row, std::int64_t n_outputs,
                    std::int64_t output, float* margins) {
  std::int64_t const row = GridIndex();
  if (row >= static_cast<std::int64_t>(leaf_of_row.size())) return;
  margins[row * n_outputs + output] += leaf_values[leaf_of_row.data()[row]];
}

__global__ void __launch_bounds__(kBlockThreads)
    AddRoundLeavesKernel(RoundLeaves leaves, std::int64_t n_outputs, std::int64_t n_rows, float* margins) {
  std::int64_t const row = GridIndex();
  if (row >= n_rows) return;
  for (std::int64_t output = 0; output < n_outputs; ++output) {
    std::int32_t const leaf = leaves.leaf_of_row[output * n_rows + row];
    margins[row * n_outputs + output] += leaves.values[leaves.first_value[output] + static_cast<std::uint32_t>(leaf)];
  }
}

/// Returns the number of blocks of kernels that end in atomic additions.
unsigned FewBlocks(std::int64_t n_rows) { return std::min(GridFor(n_rows, kBlockThreads), kMaxBlocks); }

constexpr std::int64_t kMaxBlocksOfWalk = 2048;

__global__ void __launch_bounds__(kBlockThreads)
    AddLeafVectorsKernel(float const* leaf_vectors, Span<std::int32_t const> leaf_of_row, std::uint32_t n_outputs,
                         float* margins) {
  PlaceWalk const walk(n_outputs);
  auto const n_rows = static_cast<std::int64_t>(leaf_of_row.size());
  for (std::int64_t row = walk.row; row < n_rows; row += walk.row_step) {
    std::int64_t const leaf = leaf_of_row.data()[row];
    margins[row * n_outputs + walk.place] += leaf_vectors[leaf * n_outputs + walk.place];
  }
}

}  // namespace

void DevicePairSummary::Clear(CudaContext const& cuda, std::int64_t n_outputs) {
  n_outputs_ = n_outputs;
  auto const size = BytesOfTotals() + BytesOfLargest();
  bytes_.Reserve(cuda, size);
  on_host_.Reserve(size);
  if (!fetched_) fetched_.emplace(cuda.device);
  FillZero(cuda, bytes_.data(), size);
}

void DevicePairSummary::ClearTotals(CudaContext const& cuda) { FillZero(cuda, bytes_.data(), BytesOfTotals()); }

void DevicePairSummary::SetLargest(CudaContext const& cuda, std::vector<LargestMagnitude> const& largest) {
  auto* const bytes = on_host_.data() + BytesOfTotals();
  std::memcpy(bytes, largest.data(), largest.size() * sizeof(LargestMagnitude));
  CopyToDevice(cuda, bytes, BytesOfLargest(), bytes_.data() + BytesOfTotals());
}

void DevicePairSummary::Fetch(CudaContext const& cuda) {
  CopyToHost(cuda, bytes_.data(), BytesOfTotals() + BytesOfLargest(), on_host_.data());
  fetched_->Record(cuda);
}

OutputSummary DevicePairSummary::OnHost(std::int64_t output) const {
  auto const* const bytes = on_host_.data();
  PairTotals totals;
  OutputSummary summary;
  std::memcpy(&totals, bytes + ToSize(output) * sizeof(totals), sizeof(totals));
  std::memcpy(&summary.largest, bytes + BytesOfTotals() + ToSize(output) * sizeof(summary.largest),
              sizeof(summary.largest));
  summary.sum = totals.sum;
  return summary;
}

OutputSummary DevicePairSummary::Fetched(std::int64_t output) const {
  fetched_->Wait();
  return OnHost(output);
}

PairSummary DevicePairSummary::Read(CudaContext const& cuda) {
  Fetch(cuda);
  fetched_->Wait();
  PairSummary summary;
  for (std::int64_t output = 0; output < n_outputs_; ++output) {
    auto const of_output = OnHost(output);
    summary.sums.push_back(of_output.sum);
    summary.largest.push_back(of_output.largest);
  }
  return summary;
}

void FindLargest(CudaContext const& cuda, PairTable const& gradients, LargestMagnitude* largest) {
  auto const n_rows = gradients.NumRows();
  if (gradients.n_outputs > 1 && gradients.n_outputs <= kMostShared) {
    auto const n_pairs = n_rows * gradients.n_outputs;
    auto const blocks = FewBlocks(n_pairs);
    auto const stride = std::int64_t{blocks} * kBlockThreads / gradients.n_outputs * gradients.n_outputs;
    if (stride > 0) {
      return Launch(cuda, blocks, kBlockThreads, LargestOfAllKernel, gradients.pairs.data(), n_pairs,
                    gradients.n_outputs, stride, largest);
    }
  }
  dim3 const grid(FewBlocks(n_rows), static_cast<unsigned>(std::min(gradients.n_outputs, kMaxGridY)));
  LaunchGrid(cuda, grid, kBlockThreads, LargestMagnitudesKernel, gradients.pairs.data(), n_rows, gradients.n_outputs,
             largest);
}

void TakeLarger(CudaContext const& cuda, std::vector<LargestMagnitude const*> const& of_others, std::int64_t n_outputs,
                LargestMagnitude* largest) {
  for (std::size_t first = 0; first < of_others.size(); first += kMostSources) {
    LargestSources sources{};
    sources.n = static_cast<int>(std::min(of_others.size() - first, kMostSources));
    std::copy_n(of_others.begin() + static_cast<std::ptrdiff_t>(first), sources.n, sources.largest);
    Launch(cuda, GridFor(n_outputs, kBlockThreads), kBlockThreads, TakeLargerKernel, sources, n_outputs, largest);
  }
}

std::int64_t FirstNotFinite(CudaContext const& cuda, PairTable const& gradients, std::int64_t output) {
  auto const n_rows = gradients.NumRows();
  auto const first = ToDevice(cuda, std::vector<unsigned long long>{static_cast<unsigned long long>(n_rows)});
  Launch(cuda, GridFor(n_rows, kBlockThreads), kBlockThreads, FirstNotFiniteKernel, gradients.pairs.data(), n_rows,
         gradients.n_outputs, output, first.data());
  return static_cast<std::int64_t>(ToHost(cuda, first.data(), 1)[0]);
}

Buffer<GradientPair> WatchedPairs(CudaContext const& cuda, PairTable const& gradients, std::int64_t output) {
  auto const n_rows = gradients.NumRows();
  auto const n_watched = NumWatchedRows(n_rows);
  Buffer<GradientPair> watched(cuda, static_cast<std::size_t>(n_watched));
  Launch(cuda, GridFor(n_watched, kBlockThreads), kBlockThreads, WatchedPairsKernel, gradients.pairs.data(), n_rows,
         gradients.n_outputs, output, watched.span());
  return watched;
}

void Quantise(CudaContext const& cuda, QuantiseTask const& task) {
  Launch(cuda, FewBlocks(task.gradients.NumRows()), kBlockThreads, QuantiseKernel, task);
}

void QuantiseRound(CudaContext const& cuda, QuantiseRoundTask const& task) {
  auto const n_rows = task.gradients.NumRows();
  Launch(cuda, GridFor(n_rows, kBlockThreads * kRowsPerThread), kBlockThreads, QuantiseRoundKernel, task, n_rows);
}

void AddLeaves(CudaContext const& cuda, Span<float const> leaf_values, Span<std::int32_t const> leaf_of_row,
               std::int64_t n_outputs, std::int64_t output, Span<float> margins) {
  Launch(cuda, GridFor(static_cast<std::int64_t>(leaf_of_row.size()), kBlockThreads), kBlockThreads, AddLeavesKernel,
         leaf_values.data(), leaf_of_row, n_outputs, output, margins.data());
}

void AddRoundLeaves(CudaContext const& cuda, RoundLeaves const& leaves, std::int64_t n_outputs, Span<float> margins) {
  auto const n_rows = static_cast<std::int64_t>(margins.size()) / n_outputs;
  Launch(cuda, GridFor(n_rows, kBlockThreads), kBlockThreads, AddRoundLeavesKernel, leaves, n_outputs, n_rows,
         margins.data());
}

void AddLeafVectors(CudaContext const& cuda, Span<float const> leaf_vectors, Span<std::int32_t const> leaf_of_row,
                    std::int64_t n_outputs, Span<float> margins) {
  auto const grid =
      BlocksOfWalk(static_cast<std::int64_t>(leaf_of_row.size()), n_outputs, kBlockThreads, kMaxBlocksOfWalk);
  Launch(cuda, grid, kBlockThreads, AddLeafVectorsKernel, leaf_vectors.data(), leaf_of_row,
         static_cast<std::uint32_t>(n_outputs), margins.data());
}

}  // namespace kauri::cuda
