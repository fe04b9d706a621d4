#include <cstring>

#include "cuda/common/launch.h"
#include "cuda/exact/label_bins/residual_rows.h"

namespace kauri::cuda {
namespace {

constexpr int kThreads = 256;
constexpr unsigned kMostBlocks = 1024;

/// Device memory, not owning.
struct RowsTask {
  std::int64_t n_rows = 0;
  float const* residuals = nullptr;
  float const* weights = nullptr;         ///< nullptr: all 1
  std::uint8_t const* sampled = nullptr;  ///< nullptr: all are
  LineScale scale;                        ///< if integers are wanted
  ResidualSum* sums = nullptr;

  __device__ WeighedResidual At(std::int64_t row) const {
    return Weigh(sampled == nullptr || sampled[row] != 0, residuals[row], weights == nullptr ? 1.0F : weights[row]);
  }
};

/// Returns the bits of a number that is not negative, which ascend with the number.
__device__ unsigned long long BitsOf(double value) {
  return static_cast<unsigned long long>(__double_as_longlong(value));
}

/// Every thread of a warp takes part in the shuffles; the loop before them may differ between threads.
__global__ void __launch_bounds__(kThreads) LargestKernel(RowsTask task, unsigned long long* largest) {
  std::int64_t const stride = static_cast<std::int64_t>(gridDim.x) * kThreads;
  unsigned long long weight = 0;
  unsigned long long product = 0;
  for (std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; row < task.n_rows;
       row += stride) {
    WeighedResidual const weighed = task.At(row);
    weight = max(weight, BitsOf(weighed.weight));
    product = max(product, BitsOf(fabs(weighed.product)));
  }
  for (int step = 16; step > 0; step /= 2) {
    weight = max(weight, __shfl_xor_sync(0xFFFFFFFFU, weight, step));
    product = max(product, __shfl_xor_sync(0xFFFFFFFFU, product, step));
  }
  if (threadIdx.x % 32 != 0) return;
  atomicMax(largest, weight);
  atomicMax(largest + 1, product);
}

__global__ void __launch_bounds__(kThreads) FixKernel(RowsTask task) {
  std::int64_t const row = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (row < task.n_rows) task.sums[row] = task.scale.Fix(task.At(row));
}

double DoubleOf(unsigned long long bits) {
  double value = 0.0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

}  // namespace

void ResidualRows::Fix(CudaContext const& cuda, LineErrors const& errors, Span<std::uint8_t const> sampled) {
  auto const n_rows = errors.residuals.size();
  sums_.Reserve(cuda, n_rows);
  largest_.Reserve(cuda, 2);
  FillZero(cuda, largest_.data(), 2);
  RowsTask task;
  task.n_rows = static_cast<std::int64_t>(n_rows);
  task.residuals = errors.residuals.data();
  task.weights = errors.weights.empty() ? nullptr : errors.weights.data();
  task.sampled = sampled.empty() ? nullptr : sampled.data();
  auto const blocks = GridFor(task.n_rows, kThreads);
  Launch(cuda, blocks < kMostBlocks ? blocks : kMostBlocks, kThreads, LargestKernel, task, largest_.data());
  auto const largest = ToHost(cuda, largest_.data(), 2);
  scale_ = {UnitFor(DoubleOf(largest[0]), task.n_rows), UnitFor(DoubleOf(largest[1]), task.n_rows), errors.above,
            errors.below};
  task.scale = scale_;
  task.sums = sums_.data();
  Launch(cuda, blocks, kThreads, FixKernel, task);
}

}  // namespace kauri::cuda
