/// The tree reduction of the thesis (section 3.7) in the shape that host and device share.
///
/// 1. A warp takes a block of 4,096 rows of a column and copies them to shared memory, with all copies under way at a
///    time. Its lanes are the lanes of the host's sums: value i of the block belongs to lane i mod 32. The first pass
///    adds up weights and values.
/// 2. Lanes are joined in halves, so lane 0 has the mean, and every lane gets it. The second pass adds the powers of
///    the differences from the mean, and lanes are joined again.
/// 3. 64 blocks, then 64 groups, and so on are merged along the binary tree of their numbers, a thread for each pair.
///
/// Values that do not count have weight 0 and are replaced by 0. Adding 0 changes no bit of a sum that began with 0,
/// and without branches many values are under way in each lane. Bytes: 4 a value. Float64 instructions a value: 5, and
/// 2 for each power.
#include <cuda_pipeline.h>

#include <algorithm>
#include <cmath>

#include "cuda/common/buffer.h"
#include "cuda/common/launch.h"
#include "gpu_moment_sketch.h"

namespace kauri::cuda {
namespace {

constexpr int kLanes = static_cast<int>(kPowerLanes);
constexpr int kRows = static_cast<int>(kPowerBlock);
constexpr int kWarps = 4;   // of a thread block; each has 16 KiB of shared memory
constexpr int kGroup = 64;  // sums that one thread block merges
constexpr unsigned kAllLanes = 0xFFFFFFFFU;

/// Columns of rows with their weights.
struct Table {
  float const* values;
  float const* weights;  ///< null: all weights are 1
  std::int64_t n_rows;
  std::int64_t n_cols;
  std::int64_t row_stride;
  std::int64_t col_stride;
};

__device__ double JoinLanes(double value) {
  for (int half = kLanes / 2; half > 0; half /= 2) value += __shfl_down_sync(kAllLanes, value, half);
  return value;  // lane 0 has the sum
}

/// The work of a lane on a block: the same as SumBlock of the host.
template <int kOrder>
class BlockSum {
 public:
  __device__ BlockSum(Table const& table, std::int64_t column, std::int64_t first, float* shared)
      : values_(table.values + first * table.row_stride + column * table.col_stride),
        weights_(table.weights == nullptr ? nullptr : table.weights + first),
        stride_(table.row_stride),
        n_(static_cast<int>(min(static_cast<long long>(kRows), static_cast<long long>(table.n_rows - first)))),
        lane_(static_cast<int>(threadIdx.x) % kLanes),
        shared_(shared) {}

  __device__ void Run(int order, PowerSums* out) {
    Load();
    PowerSums sums;
    sums.order = order;
    sums.weight = __shfl_sync(kAllLanes, JoinLanes(weight_), 0);
    double const sum = __shfl_sync(kAllLanes, JoinLanes(sum_), 0);
    if (sums.weight > 0.0) {  // the same in all lanes
      JoinBounds(&sums);
      sums.exponent = power_sums::ExponentOf(sums.min, sums.max);
      double const scale = ldexp(1.0, -sums.exponent);
      sums.mean = sum / sums.weight * scale;
      AddPowers(scale, &sums);
    }
    if (lane_ == 0) *out = sums;
  }

 private:
  /// A value as it enters the sums.
  struct Counted {
    double weight;
    float value;
  };

  __device__ Counted At(int row) const {
    float const value = shared_[row];
    float const weight = weights_ == nullptr ? 1.0F : weights_[row];
    bool const counts = value == value && weight > 0.0F;
    return {counts ? static_cast<double>(weight) : 0.0, counts ? value : 0.0F};
  }

  __device__ void Stage() {
    constexpr int kValues = 4;  // floats of a copy
    bool const is_aligned = reinterpret_cast<std::uintptr_t>(values_) % (kValues * sizeof(float)) == 0;
    if (n_ == kRows && stride_ == 1 && is_aligned) {
      for (int row = kValues * lane_; row < kRows; row += kValues * kLanes) {
        __pipeline_memcpy_async(shared_ + row, values_ + row, kValues * sizeof(float));
      }
      __pipeline_commit();
      __pipeline_wait_prior(0);
    } else {
#pragma unroll 8
      for (int row = lane_; row < n_; row += kLanes) shared_[row] = values_[row * stride_];
    }
    __syncwarp();
  }

  __device__ void Load() {
    Stage();
#pragma unroll 8
    for (int row = lane_; row < n_; row += kLanes) {
      auto const [weight, value] = At(row);
      weight_ += weight;
      sum_ += weight * static_cast<double>(value);
      min_ = fminf(min_, weight > 0.0 ? value + 0.0F : INFINITY);
      max_ = fmaxf(max_, weight > 0.0 ? value + 0.0F : -INFINITY);
    }
  }

  __device__ void JoinBounds(PowerSums* sums) {
    for (int half = kLanes / 2; half > 0; half /= 2) {
      min_ = fminf(min_, __shfl_xor_sync(kAllLanes, min_, half));
      max_ = fmaxf(max_, __shfl_xor_sync(kAllLanes, max_, half));
    }
    sums->min = min_;
    sums->max = max_;
  }

  __device__ void AddPowers(double scale, PowerSums* sums) {
    double lanes[kOrder + 1] = {};
    double const mean = sums->mean;
#pragma unroll 4
    for (int row = lane_; row < n_; row += kLanes) {
      auto const [weight, value] = At(row);
      double const difference = static_cast<double>(value) * scale - mean;
      double power = weight * difference;
#pragma unroll
      for (int k = 2; k <= kOrder; ++k) {
        power *= difference;
        lanes[k] += power;
      }
    }
#pragma unroll
    for (int k = 2; k <= kOrder; ++k) {
      double const joined = JoinLanes(lanes[k]);
      if (k <= sums->order) sums->sums[k] = joined;
    }
  }

  float const* values_;
  float const* weights_;
  std::int64_t stride_;
  int n_;
  int lane_;
  float* shared_;  ///< [kRows], memory of this warp
  double weight_ = 0.0;
  double sum_ = 0.0;
  float min_ = INFINITY;
  float max_ = -INFINITY;
};

/// Neighbouring warps have neighbouring columns of the same rows, so that they share fetched sectors.
template <int kOrder>
__global__ void __launch_bounds__(kWarps* kLanes)
    SumBlocksKernel(Table table, std::int64_t n_blocks, int order, PowerSums* sums) {
  extern __shared__ float shared[];
  int const warp = static_cast<int>(threadIdx.x) / kLanes;
  std::int64_t const item = static_cast<std::int64_t>(blockIdx.x) * kWarps + warp;
  if (item >= n_blocks * table.n_cols) return;  // the whole warp returns
  std::int64_t const column = item % table.n_cols;
  std::int64_t const block = item / table.n_cols;
  BlockSum<kOrder>(table, column, block * kRows, shared + warp * kRows).Run(order, sums + item);
}

/// Sums of blocks, [n_blocks, n_cols].
struct BlockTable {
  PowerSums* sums;
  std::int64_t n_blocks;
  std::int64_t n_cols;
};

/// Merges the sums of blocks 0, stride, 2 stride, .. of each column in groups; the first block of a group gets the sum.
__global__ void __launch_bounds__(kGroup / 2)
    MergeKernel(BlockTable blocks, std::int64_t stride, power_sums::Binomials table) {
  std::int64_t const column = blockIdx.x % blocks.n_cols;
  std::int64_t const first = blockIdx.x / blocks.n_cols * kGroup * stride;
  for (std::int64_t step = 1; step < kGroup; step *= 2) {
    std::int64_t const left = first + 2 * step * threadIdx.x * stride;
    std::int64_t const right = left + step * stride;
    if (2 * step * threadIdx.x + step < kGroup && right < blocks.n_blocks) {
      power_sums::MergeInto(blocks.sums[right * blocks.n_cols + column], blocks.sums + left * blocks.n_cols + column,
                            table);
    }
    __syncthreads();
  }
}

template <int kOrder>
void SumSketchBlocks(CudaContext const& ctx, Table const& table, std::int64_t n_blocks, int order, PowerSums* sums) {
  auto const n_items = n_blocks * table.n_cols;
  constexpr std::size_t kSharedBytes = std::size_t{kWarps} * kRows * sizeof(float);
  LaunchShared(ctx, GridFor(n_items, kWarps), kWarps * kLanes, kSharedBytes, SumBlocksKernel<kOrder>, table, n_blocks,
               order, sums);
}

/// Sums at least `order` powers, with the next larger of the compiled numbers; the surplus is dropped.
void SumSketchBlocks(CudaContext const& ctx, Table const& table, std::int64_t n_blocks, int order, PowerSums* sums) {
  if (order <= 4) return SumSketchBlocks<4>(ctx, table, n_blocks, order, sums);
  if (order <= 5) return SumSketchBlocks<5>(ctx, table, n_blocks, order, sums);
  if (order <= 10) return SumSketchBlocks<10>(ctx, table, n_blocks, order, sums);
  SumSketchBlocks<kMaxMoment>(ctx, table, n_blocks, order, sums);
}

}  // namespace

std::vector<PowerSums> SketchColumns(CudaContext const& ctx, DeviceLayout const& rows, float const* weights,
                                     int order) {
  PowerSums none;
  none.order = order;
  std::vector<PowerSums> columns(static_cast<std::size_t>(rows.n_cols), none);
  auto const n_blocks = (rows.n_rows + kRows - 1) / kRows;
  if (n_blocks == 0 || rows.n_cols == 0) return columns;
  Table const table{rows.values, weights, rows.n_rows, rows.n_cols, rows.row_stride, rows.col_stride};
  Buffer<PowerSums> sums(ctx, static_cast<std::size_t>(n_blocks * rows.n_cols));
  SumSketchBlocks(ctx, table, n_blocks, order, sums.data());
  for (std::int64_t stride = 1; stride < n_blocks; stride *= kGroup) {
    auto const n_groups = GridFor((n_blocks + stride - 1) / stride, kGroup);
    Launch(ctx, n_groups * static_cast<unsigned>(rows.n_cols), kGroup / 2, MergeKernel,
           BlockTable{sums.data(), n_blocks, rows.n_cols}, stride, power_sums::MakeBinomials());
  }
  return ToHost(ctx, sums.data(), columns.size());
}

}  // namespace kauri::cuda
