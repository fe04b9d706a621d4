#include "cuda/common/launch.h"
#include "cuda/common/memory_plan.h"
#include "cuda/common/place_walk.cuh"
#include "cuda/hist_vector/device_table.h"
#include "kauri/table_stride.h"

namespace kauri::cuda {
namespace {

constexpr std::int64_t kMaxBlocks = 1024;
using Word = unsigned long long;

/// sums: [stride], two's complement; integer additions commute, so atomics are deterministic.
__global__ void __launch_bounds__(kBlockThreads)
    SumTableRowsKernel(TableOnDevice rows, std::int64_t n_rows, Word* sums) {
  extern __shared__ Word of_block[];
  for (std::uint32_t place = threadIdx.x; place < rows.stride; place += kBlockThreads) of_block[place] = 0;
  __syncthreads();
  PlaceWalk const walk(rows.stride);
  std::int64_t sum = 0;
  for (std::int64_t row = walk.row; row < n_rows; row += walk.row_step) {
    sum += rows.values[row * rows.stride + walk.place];
  }
  atomicAdd(&of_block[walk.place], static_cast<Word>(sum));
  __syncthreads();
  for (std::uint32_t place = threadIdx.x; place < rows.stride; place += kBlockThreads) {
    atomicAdd(sums + place, of_block[place]);
  }
}

/// sums: [stride, 2], the two words of each SquareSum.
__global__ void __launch_bounds__(kBlockThreads)
    SquareTableRowsKernel(TableOnDevice rows, std::int64_t n_rows, Word* sums) {
  extern __shared__ Word of_block[];
  for (std::uint32_t i = threadIdx.x; i < 2 * rows.stride; i += kBlockThreads) of_block[i] = 0;
  __syncthreads();
  PlaceWalk const walk(rows.stride);
  SquareSum sum;
  for (std::int64_t row = walk.row; row < n_rows; row += walk.row_step) {
    sum.Add(rows.values[row * rows.stride + walk.place]);
  }
  atomicAdd(&of_block[2 * walk.place], static_cast<Word>(sum.high));
  atomicAdd(&of_block[2 * walk.place + 1], static_cast<Word>(sum.low));
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < 2 * rows.stride; i += kBlockThreads) atomicAdd(sums + i, of_block[i]);
}

/// to: [n_rows, stride].
__global__ void __launch_bounds__(kBlockThreads)
    CountRowsKernel(TableOnDevice from, std::uint8_t const* sampled, std::uint32_t stride, Span<std::int32_t> to) {
  std::uint64_t const i = static_cast<std::uint64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (i >= to.size()) return;
  std::uint64_t const row = i / stride;
  auto const place = static_cast<std::uint32_t>(i % stride);
  std::int32_t value = 0;
  if (place < from.n_sums) value = from.values[row * from.stride + place];
  if (place == from.n_sums) value = sampled == nullptr ? 1 : sampled[row];
  to.data()[i] = value;
}

}  // namespace

CountedRows::CountedRows(CudaContext const& cuda, TableOnDevice const& table, std::int64_t n_rows,
                         Span<std::uint8_t const> sampled) {
  auto const stride = TableStride(std::int64_t{table.n_sums} + 1);
  auto const n = ToSize(n_rows * stride);
  RequireMemory(cuda, "counts of rows", {{"gradients with counts", n * sizeof(std::int32_t)}});
  values_ = Buffer<std::int32_t>(cuda, n);
  table_ = {values_.data(), static_cast<std::uint32_t>(stride), table.n_sums + 1};
  Launch(cuda, GridFor(static_cast<std::int64_t>(n), kBlockThreads), kBlockThreads, CountRowsKernel, table,
         sampled.empty() ? nullptr : sampled.data(), table_.stride, Span<std::int32_t>(values_.data(), n));
}

std::vector<std::int64_t> SumTableRows(CudaContext const& cuda, TableOnDevice const& rows, std::int64_t n_rows) {
  Buffer<Word> sums(cuda, rows.stride);
  FillZero(cuda, sums.data(), rows.stride);
  LaunchShared(cuda, BlocksOfWalk(n_rows, rows.stride, kBlockThreads, kMaxBlocks), kBlockThreads,
               rows.stride * sizeof(Word), SumTableRowsKernel, rows, n_rows, sums.data());
  auto const words = ToHost(cuda, sums.data(), rows.n_sums);
  return {words.begin(), words.end()};
}

std::vector<SquareSum> SquareTableRows(CudaContext const& cuda, TableOnDevice const& rows, std::int64_t n_rows) {
  static_assert(sizeof(SquareSum) == 2 * sizeof(Word), "added up as two integers");
  Buffer<SquareSum> sums(cuda, rows.stride);
  FillZero(cuda, sums.data(), rows.stride);
  LaunchShared(cuda, BlocksOfWalk(n_rows, rows.stride, kBlockThreads, kMaxBlocks), kBlockThreads,
               rows.stride * sizeof(SquareSum), SquareTableRowsKernel, rows, n_rows,
               reinterpret_cast<Word*>(sums.data()));
  return ToHost(cuda, sums.data(), rows.n_sums);
}

}  // namespace kauri::cuda
