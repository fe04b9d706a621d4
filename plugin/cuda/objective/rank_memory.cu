/// Bytes per row: two sorts. Weights belong to groups; one block of threads adds them up.
#include <cstdint>
#include <cub/device/device_radix_sort.cuh>
#include <utility>

#include "common/math.h"
#include "cuda/common/buffer.h"
#include "cuda/common/launch.h"
#include "cuda/data/device_info.h"
#include "cuda/data/query_groups.cuh"
#include "cuda/objective/rank_group.cuh"

namespace kauri::cuda {
namespace {

// The rows of each query group in the order of a value.

constexpr int kValueBits = 32;

__global__ void __launch_bounds__(kBlockThreads)
    FillKeysKernel(Span<float const> values, DeviceInfo info, std::uint64_t* keys, std::uint32_t* rows) {
  std::int64_t const row = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (row >= info.n_rows) return;
  std::int64_t const group = GroupOf(info, row);
  keys[row] = static_cast<std::uint64_t>(group) << kValueBits | DescendingFloatKey(values.data()[row]);
  rows[row] = static_cast<std::uint32_t>(row - (info.group_ptr.empty() ? 0 : info.group_ptr.data()[group]));
}

/// Returns the bits of a key that differ between rows.
int NumKeyBits(std::int64_t n_groups) {
  int bits = kValueBits;
  while (n_groups > std::int64_t{1} << (bits - kValueBits)) ++bits;
  return bits;
}

/// Returns, for every place of every group, the row at that place, counted within the group. Values descend; equal
/// values keep their order. values: [n_rows], device. Asynchronous; needs 24 bytes per row while it runs.
Buffer<std::uint32_t> SortInGroups(CudaContext const& cuda, Span<float const> values, DeviceInfo const& info) {
  auto const n = values.size();
  Buffer<std::uint64_t> keys(cuda, n);
  Buffer<std::uint64_t> other_keys(cuda, n);
  Buffer<std::uint32_t> rows(cuda, n);
  Buffer<std::uint32_t> other_rows(cuda, n);
  Launch(cuda, GridFor(info.n_rows, kBlockThreads), kBlockThreads, FillKeysKernel, values, info, keys.data(),
         rows.data());
  cub::DoubleBuffer<std::uint64_t> by_key(keys.data(), other_keys.data());
  cub::DoubleBuffer<std::uint32_t> by_row(rows.data(), other_rows.data());
  CubScratch scratch;
  scratch.Run(cuda, [&](void* storage, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(storage, bytes, by_key, by_row, info.n_rows, 0, NumKeyBits(NumGroups(info)),
                                           cuda.stream);
  });
  return std::move(by_row.Current() == rows.data() ? rows : other_rows);
}

/// Sets `scale` to n / (sum of the weights), summed exactly on the grid of the largest weight. One block.
__global__ void __launch_bounds__(kRankThreads) WeightScaleKernel(Span<float const> weights, double* scale) {
  __shared__ float largest[kRankThreads];
  __shared__ double sums[kRankThreads];
  float own_largest = 0.0F;
  for (std::size_t i = threadIdx.x; i < weights.size(); i += kRankThreads)
    own_largest = fmaxf(own_largest, weights.data()[i]);
  largest[threadIdx.x] = own_largest;
  __syncthreads();
  for (int step = kRankThreads / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) largest[threadIdx.x] = fmaxf(largest[threadIdx.x], largest[threadIdx.x + step]);
    __syncthreads();
  }
  auto const n = static_cast<std::int64_t>(weights.size());
  ExactGrid const grid = WeightGrid(n, largest[0]);
  double own_sum = 0.0;
  for (std::size_t i = threadIdx.x; i < weights.size(); i += kRankThreads) {
    own_sum += grid.Round(static_cast<double>(weights.data()[i]));
  }
  sums[threadIdx.x] = own_sum;
  __syncthreads();
  for (int step = kRankThreads / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) sums[threadIdx.x] += sums[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) *scale = static_cast<double>(n) / sums[0];
}

/// Returns whether the rows by label are needed: sampled pairs and ideal gains need them.
bool NeedsLabelOrder(LambdaRule const& rule) {
  return rule.method == PairMethod::kMean || rule.target == RankTarget::kNdcg;
}

}  // namespace

RankMemory::RankMemory(CudaContext const& cuda, LambdaRule const& rule, Span<float const> margins,
                       DeviceInfo const& info)
    : row_of_place_(SortInGroups(cuda, margins, info)),
      row_by_label_(NeedsLabelOrder(rule) ? SortInGroups(cuda, info.labels, info) : Buffer<std::uint32_t>()),
      place_of_row_(cuda, rule.method == PairMethod::kMean ? margins.size() : 0),
      placed_(cuda, margins.size()),
      gradient_(cuda, margins.size()),
      hessian_(cuda, margins.size()),
      push_(cuda, margins.size()),
      weight_scale_(cuda, info.weights.empty() ? 0 : 1) {
  if (info.weights.empty()) return;
  Launch(cuda, 1, kRankThreads, WeightScaleKernel, info.weights, weight_scale_.data());
}

}  // namespace kauri::cuda
