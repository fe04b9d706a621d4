#include <algorithm>
#include <cstring>
#include <cub/device/device_radix_sort.cuh>

#include "common/fixed_point.h"
#include "cuda/common/launch.h"
#include "cuda/common/memory_plan.h"
#include "cuda/engine/sample_by_gradient.h"

namespace kauri::cuda {
namespace {

using Word = unsigned long long;

constexpr unsigned kMostBlocks = 1024;

unsigned BlocksFor(std::int64_t n_rows) { return std::min(kMostBlocks, GridFor(n_rows, kBlockThreads)); }

/// Some columns of a PairTable.
struct PairColumns {
  GradientPair const* first;  ///< of row 0
  std::int64_t n_rows;
  std::int64_t n_outputs;
  std::int64_t width;

  __device__ GradientPair const* Of(std::int64_t row) const { return first + row * n_outputs; }
  __device__ double Magnitude(std::int64_t row) const { return RowMagnitude(Of(row), width); }
};

/// Calls look_at(row) for the thread's share of the rows.
template <typename LookAt>
__device__ __forceinline__ void ForEachRow(std::int64_t n_rows, LookAt&& look_at) {
  auto const stride = static_cast<std::int64_t>(gridDim.x) * kBlockThreads;
  for (auto row = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x; row < n_rows; row += stride) {
    look_at(row);
  }
}

struct LargestRow {
  Word bits;        ///< bits of the largest magnitude in float64; they ascend with it
  Word not_finite;  ///< whether some pair is not finite
};

__global__ void __launch_bounds__(kBlockThreads) LargestKernel(PairColumns columns, LargestRow* largest) {
  double own = 0.0;
  bool is_finite = true;
  ForEachRow(columns.n_rows, [&](std::int64_t row) {
    GradientPair const* const pairs = columns.Of(row);
    for (std::int64_t i = 0; i < columns.width; ++i) {
      is_finite = is_finite && isfinite(pairs[i].gradient) && isfinite(pairs[i].hessian);
    }
    own = fmax(own, columns.Magnitude(row));
  });
  auto bits = static_cast<Word>(__double_as_longlong(own));
  for (int step = 16; step > 0; step /= 2) bits = max(bits, __shfl_xor_sync(0xFFFFFFFFU, bits, step));
  if (threadIdx.x % 32 == 0) atomicMax(&largest->bits, bits);
  if (!is_finite) largest->not_finite = 1;
}

/// Words of 32 bits of a bucket in shared memory: its count, and the sums of the lower and the upper halves of its
/// magnitudes. Sums of 64 bits there would be loops of comparisons: 438 us for 10 M rows.
constexpr std::uint32_t kBucketWords = 3;
/// Most rows of a block, so that sums of 16 bits stay below 2^32.
constexpr std::int64_t kRowsOfBuckets = 65536;

/// sums: [kMagnitudeBuckets, 2], counts and sums, initially zero. Integer additions commute, so atomics are
/// deterministic. A block has at most kRowsOfBuckets rows.
__global__ void __launch_bounds__(kBlockThreads)
    BucketsKernel(PairColumns columns, double unit, std::uint32_t* magnitudes, Word* sums) {
  __shared__ std::uint32_t of_block[kBucketWords * kMagnitudeBuckets];
  for (std::uint32_t i = threadIdx.x; i < kBucketWords * kMagnitudeBuckets; i += kBlockThreads) of_block[i] = 0;
  __syncthreads();
  ForEachRow(columns.n_rows, [&](std::int64_t row) {
    auto const magnitude = static_cast<std::uint32_t>(columns.Magnitude(row) / unit);
    magnitudes[row] = magnitude;
    auto* const words = of_block + kBucketWords * MagnitudeBucket(magnitude, __clz(static_cast<int>(magnitude)));
    atomicAdd(words, 1U);
    atomicAdd(words + 1, magnitude & 0xFFFFU);
    atomicAdd(words + 2, magnitude >> 16U);
  });
  __syncthreads();
  for (std::uint32_t bucket = threadIdx.x; bucket < kMagnitudeBuckets; bucket += kBlockThreads) {
    auto const* const words = of_block + kBucketWords * bucket;
    if (words[0] == 0) continue;
    atomicAdd(sums + 2 * bucket, Word{words[0]});
    atomicAdd(sums + 2 * bucket + 1, (Word{words[2]} << 16U) + Word{words[1]});
  }
}

/// Copies the magnitudes of one bucket, in any order: they are sorted afterwards.
__global__ void __launch_bounds__(kBlockThreads)
    PickBucketKernel(std::uint32_t const* magnitudes, std::int64_t n_rows, std::uint32_t bucket,
                     std::uint32_t* n_picked, std::uint32_t* picked) {
  std::uint32_t const lane = threadIdx.x % 32;
  auto const stride = static_cast<std::int64_t>(gridDim.x) * kBlockThreads;
  auto const warp_row = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x - lane;
  for (auto first = warp_row; first < n_rows; first += stride) {
    auto const row = first + lane;
    std::uint32_t const magnitude = row < n_rows ? magnitudes[row] : 0;
    bool const is_there = row < n_rows && MagnitudeBucket(magnitude, __clz(static_cast<int>(magnitude))) == bucket;
    unsigned const there = __ballot_sync(0xFFFFFFFFU, is_there);
    std::uint32_t begin = 0;
    if (lane == 0 && there != 0) begin = atomicAdd(n_picked, static_cast<std::uint32_t>(__popc(there)));
    begin = __shfl_sync(0xFFFFFFFFU, begin, 0);
    if (is_there) picked[begin + static_cast<std::uint32_t>(__popc(there & ((1U << lane) - 1U)))] = magnitude;
  }
}

struct DrawTask {
  PairColumns columns;
  double threshold;  ///< rows of at least this magnitude are certain to be used
  std::uint64_t key;
  GradientPair* pairs;    ///< (out) [n_rows, width]
  std::uint8_t* sampled;  ///< (out) [n_rows]
};

__global__ void __launch_bounds__(kBlockThreads) DrawKernel(DrawTask task) {
  auto const& columns = task.columns;
  ForEachRow(columns.n_rows, [&](std::int64_t row) {
    double const magnitude = columns.Magnitude(row);
    double const chance = magnitude < task.threshold ? magnitude / task.threshold : 1.0;
    bool const used = magnitude != 0.0 && RandomUniform(task.key, static_cast<std::uint64_t>(row)) < chance;
    GradientPair const* const from = columns.Of(row);
    GradientPair* const to = task.pairs + row * columns.width;
    for (std::int64_t i = 0; i < columns.width; ++i) to[i] = used ? DivideByChance(from[i], chance) : GradientPair{};
    task.sampled[row] = used ? 1 : 0;
  });
}

PairColumns ColumnsOf(PairTable const& gradients, OutputRange const& outputs) {
  return {gradients.pairs.data() + outputs.begin, gradients.NumRows(), gradients.n_outputs,
          outputs.end - outputs.begin};
}

/// Fails, naming the first row, and the first of its outputs, that is not finite.
[[noreturn]] void FailNotFinite(CudaContext const& cuda, PairTable const& gradients, OutputRange const& outputs) {
  auto first = gradients.NumRows();
  auto output_of_first = outputs.begin;
  for (auto output = outputs.begin; output < outputs.end; ++output) {
    auto const row = FirstNotFinite(cuda, gradients, output);
    if (row >= first) continue;
    first = row;
    output_of_first = output;
  }
  FailGradient(ToHost(cuda, gradients.pairs.data() + first * gradients.n_outputs + output_of_first, 1)[0], first);
}

}  // namespace

/// Returns the threshold as a multiple of MagnitudeUnit. count: magnitudes of the bucket, in `sorted_`.
double DeviceGradientSampler::ReadThreshold(CudaContext const& cuda, ThresholdSearch search, std::int64_t count) {
  std::size_t n_at_once = 1024;
  auto const n = ToSize(count);
  for (std::size_t begin = 0; begin < n;) {
    auto const here = ToHost(cuda, sorted_.data() + begin, std::min(n_at_once, n - begin));
    for (auto const magnitude : here) {
      if (!search.Take(magnitude)) return search.Threshold();
    }
    begin += here.size();
    n_at_once *= 8;
  }
  return search.Threshold();
}

/// Returns the magnitude from which on rows are certain to be used, such that the expected share of rows is `rate`. At
/// 0 every row is used whose pairs are not all zero. Writes `magnitudes_`.
double DeviceGradientSampler::FindThreshold(CudaContext const& cuda, PairTable const& gradients,
                                            OutputRange const& outputs, float rate) {
  auto const columns = ColumnsOf(gradients, outputs);
  auto const blocks = BlocksFor(columns.n_rows);
  Buffer<LargestRow> largest_row(cuda, 1);
  FillZero(cuda, largest_row.data(), 1);
  Launch(cuda, blocks, kBlockThreads, LargestKernel, columns, largest_row.data());
  auto const found = ToHost(cuda, largest_row.data(), 1)[0];
  if (found.not_finite != 0) FailNotFinite(cuda, gradients, outputs);
  double largest = 0.0;
  std::memcpy(&largest, &found.bits, sizeof(largest));
  if (largest == 0.0) return 0.0;
  auto const unit = MagnitudeUnit(largest);
  Buffer<Word> words(cuda, 2 * kMagnitudeBuckets);
  FillZero(cuda, words.data(), words.size());
  Launch(cuda, std::max(blocks, GridFor(columns.n_rows, kRowsOfBuckets)), kBlockThreads, BucketsKernel, columns, unit,
         magnitudes_.data(), words.data());
  auto const on_host = ToHost(cuda, words.data(), words.size());
  MagnitudeSums sums{};
  std::memcpy(static_cast<void*>(sums.data()), on_host.data(), sizeof(sums));
  auto const search = FindThresholdBucket(sums, static_cast<double>(rate) * static_cast<double>(columns.n_rows));
  if (!search.has_value()) return 0.0;
  auto const bucket = search->Bucket();
  auto const count = sums[bucket].count;
  of_bucket_.Reserve(cuda, ToSize(count));
  sorted_.Reserve(cuda, ToSize(count));
  Buffer<std::uint32_t> n_picked(cuda, 1);
  FillZero(cuda, n_picked.data(), 1);
  Launch(cuda, blocks, kBlockThreads, PickBucketKernel, magnitudes_.data(), columns.n_rows,
         static_cast<std::uint32_t>(bucket), n_picked.data(), of_bucket_.data());
  CubScratch scratch;
  scratch.Run(cuda, [&](void* temp, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeysDescending(temp, bytes, of_bucket_.data(), sorted_.data(), count, 0,
                                                    kMagnitudeWidth, cuda.stream);
  });
  return unit * ReadThreshold(cuda, *search, count);
}

/// Uses a row with the chance min(1, magnitude / threshold). Only key and rate of the sample are read, and a row's
/// number is its place in `gradients`, which therefore must be all rows: several ranks draw in host memory
/// (tree_input.cc).
PairTable DeviceGradientSampler::Draw(CudaContext const& cuda, PairTable const& gradients, OutputRange const& outputs,
                                      RowSample const& sample, Span<std::uint8_t> sampled) {
  auto const columns = ColumnsOf(gradients, outputs);
  auto const n_rows = ToSize(columns.n_rows);
  auto const n_pairs = n_rows * ToSize(columns.width);
  if (pairs_.size() < n_pairs) {
    // 12 bytes: a row's magnitude, and two copies of it if its bucket is sorted.
    RequireMemory(cuda, "draws by gradients", {{"magnitudes", 12 * n_rows}, {"pairs", n_pairs * sizeof(GradientPair)}});
  }
  magnitudes_.Reserve(cuda, n_rows);
  pairs_.Reserve(cuda, n_pairs);
  auto const threshold = FindThreshold(cuda, gradients, outputs, sample.rate);
  Launch(cuda, BlocksFor(columns.n_rows), kBlockThreads, DrawKernel,
         DrawTask{columns, threshold, sample.key, pairs_.data(), sampled.data()});
  return {{pairs_.data(), n_pairs}, columns.width};
}

}  // namespace kauri::cuda
