#include "cuda/common/launch.h"
#include "cuda/hist/levels/follow_node.cuh"
#include "cuda/hist/levels/level_rows.h"

namespace kauri::cuda {
namespace {

constexpr int kThreads = 128;

__global__ void BeginKernel(LevelRows rows, RowStretch root, FixedSum* histogram) {
  BeginRoot(rows, 0, root, histogram);
}

__global__ void __launch_bounds__(kThreads) FollowKernel(FollowTask task, LevelPlace level) {
  std::uint32_t const index = blockIdx.x * kThreads + threadIdx.x;
  if (index >= level.NumNodes()) return;
  FollowNode(task.rows, level, index, task.decisions[index], task.sums + index * task.n_sums);
}

}  // namespace

void BeginLevels(CudaContext const& cuda, LevelRows const& rows, RowStretch root, FixedSum* histogram) {
  Launch(cuda, 1, 1, BeginKernel, rows, root, histogram);
}

void FollowLevel(CudaContext const& cuda, FollowTask const& task, int depth) {
  LevelPlace const level{depth};
  Launch(cuda, GridFor(level.NumNodes(), kThreads), kThreads, FollowKernel, task, level);
}

}  // namespace kauri::cuda
