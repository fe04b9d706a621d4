/// Bytes per row: a label in, 8 out; a pass of the sort (8 bits of 32) reads and writes 8.
#include <cub/device/device_radix_sort.cuh>
#include <utility>

#include "cuda/common/launch.h"
#include "cuda/data/rows_by_time.h"

namespace kauri::cuda {
namespace {

/// Computes sort keys: magnitudes of floats sort like their bits.
__global__ void __launch_bounds__(kBlockThreads)
    TimeKeysKernel(DeviceInfo info, bool latest_first, std::uint32_t* keys, std::uint32_t* rows) {
  std::int64_t const row = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (row >= info.n_rows) return;
  std::uint32_t const time = __float_as_uint(info.labels.data()[row]) & 0x7FFFFFFFU;
  keys[row] = latest_first ? ~time : time;
  rows[row] = static_cast<std::uint32_t>(row);
}

}  // namespace

RowsByTime SortByTime(CudaContext const& cuda, TimeOrder order, DeviceInfo const& info) {
  auto const n = static_cast<std::size_t>(info.n_rows);
  RowsByTime from{info.n_rows, Buffer<std::uint32_t>(cuda, n), Buffer<std::uint32_t>(cuda, n)};
  RowsByTime to{info.n_rows, Buffer<std::uint32_t>(cuda, n), Buffer<std::uint32_t>(cuda, n)};
  if (n == 0) return to;
  Launch(cuda, GridFor(info.n_rows, kBlockThreads), kBlockThreads, TimeKeysKernel, info,
         order == TimeOrder::kLatestFirst, from.keys.data(), from.rows.data());
  cub::DoubleBuffer<std::uint32_t> keys(from.keys.data(), to.keys.data());
  cub::DoubleBuffer<std::uint32_t> rows(from.rows.data(), to.rows.data());
  CubScratch scratch;
  scratch.Run(cuda, [&](void* storage, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(storage, bytes, keys, rows, info.n_rows, 0, 32, cuda.stream);
  });
  if (keys.Current() == from.keys.data()) std::swap(from.keys, to.keys);
  if (rows.Current() == from.rows.data()) std::swap(from.rows, to.rows);
  return to;
}

}  // namespace kauri::cuda
