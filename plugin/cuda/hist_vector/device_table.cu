#include "cuda/common/launch.h"
#include "cuda/common/place_walk.cuh"
#include "cuda/hist_vector/device_table.h"

namespace kauri::cuda {
namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kMaxBlocks = 1024;
using Word = unsigned long long;

/// sums: [stride], two's complement; integer additions commute, so atomics are deterministic.
__global__ void __launch_bounds__(kThreads) SumTableRowsKernel(TableOnDevice rows, std::int64_t n_rows, Word* sums) {
  extern __shared__ Word of_block[];
  for (std::uint32_t place = threadIdx.x; place < rows.stride; place += kThreads) of_block[place] = 0;
  __syncthreads();
  PlaceWalk const walk(rows.stride);
  std::int64_t sum = 0;
  for (std::int64_t row = walk.row; row < n_rows; row += walk.row_step) {
    sum += rows.values[row * rows.stride + walk.place];
  }
  atomicAdd(&of_block[walk.place], static_cast<Word>(sum));
  __syncthreads();
  for (std::uint32_t place = threadIdx.x; place < rows.stride; place += kThreads) {
    atomicAdd(sums + place, of_block[place]);
  }
}

}  // namespace

std::vector<std::int64_t> SumTableRows(CudaContext const& cuda, GradientTableView const& table) {
  auto const rows = TableOf(table);
  auto const n_rows = static_cast<std::int64_t>(table.values.size()) / table.stride;
  Buffer<Word> sums(cuda, rows.stride);
  FillZero(cuda, sums.data(), rows.stride);
  LaunchShared(cuda, BlocksOfWalk(n_rows, rows.stride, kThreads, kMaxBlocks), kThreads, rows.stride * sizeof(Word),
               SumTableRowsKernel, rows, n_rows, sums.data());
  auto const words = ToHost(cuda, sums.data(), rows.n_sums);
  return {words.begin(), words.end()};
}

}  // namespace kauri::cuda
