/// Bytes per row: two sorts (sort_in_groups.cu). Weights belong to groups; one block of threads adds them up.
#include "cuda/common/launch.h"
#include "cuda/objective/rank_group.cuh"
#include "cuda/objective/sort_in_groups.h"

namespace kauri::cuda {
namespace {

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
