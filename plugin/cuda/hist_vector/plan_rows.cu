#include "cuda/common/launch.h"
#include "cuda/hist_vector/plan_rows.h"

namespace kauri::cuda {
namespace {

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

}  // namespace

void PlanRows(CudaContext const& cuda, SumTask const& task) { Launch(cuda, 1, kPlanThreads, PlanKernel, task); }

}  // namespace kauri::cuda
