#include "cuda/common/launch.h"
#include "cuda/hist/histogram/copy_cells.h"
#include "cuda/hist/rows/find_stretch.cuh"

namespace kauri::cuda {
namespace {

__global__ void CopyCellsKernel(CopyCellsTask task) {
  auto const index = static_cast<std::uint64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  auto const node = index / task.n_cells;
  if (node >= task.histograms.size()) return;
  auto const cell = static_cast<std::uint32_t>(index % task.n_cells);
  std::uint32_t const place = FindStretch(static_cast<std::uint32_t>(task.features.size()), cell,
                                          [&](std::uint32_t i) { return task.begin[i]; });
  FeatureCodes const& codes = task.codes[task.features.data()[place]];
  auto const code = static_cast<std::uint64_t>(cell - task.begin[place]);
  task.to[index] = task.histograms.data()[node].first[codes.first_sum + code * codes.sum_stride];
}

}  // namespace

void CopyCells(CudaContext const& cuda, CopyCellsTask const& task) {
  auto const n = static_cast<std::int64_t>(task.histograms.size()) * task.n_cells;
  Launch(cuda, GridFor(n, kBlockThreads), kBlockThreads, CopyCellsKernel, task);
}

}  // namespace kauri::cuda
