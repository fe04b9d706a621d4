/// Bytes per row: value 4 in, key and row 12 out; a pass of the sort (8 bits of 32 and of the number of groups) reads
/// and writes 12.
#include <cub/device/device_radix_sort.cuh>
#include <utility>

#include "common/descending_key.h"
#include "cuda/common/launch.h"
#include "cuda/data/query_groups.cuh"
#include "cuda/objective/sort_in_groups.h"

namespace kauri::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kValueBits = 32;

__global__ void __launch_bounds__(kThreads)
    FillKeysKernel(Span<float const> values, DeviceInfo info, std::uint64_t* keys, std::uint32_t* rows) {
  std::int64_t const row = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
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

}  // namespace

Buffer<std::uint32_t> SortInGroups(CudaContext const& cuda, Span<float const> values, DeviceInfo const& info) {
  auto const n = values.size();
  Buffer<std::uint64_t> keys(cuda, n);
  Buffer<std::uint64_t> other_keys(cuda, n);
  Buffer<std::uint32_t> rows(cuda, n);
  Buffer<std::uint32_t> other_rows(cuda, n);
  Launch(cuda, GridFor(info.n_rows, kThreads), kThreads, FillKeysKernel, values, info, keys.data(), rows.data());
  cub::DoubleBuffer<std::uint64_t> by_key(keys.data(), other_keys.data());
  cub::DoubleBuffer<std::uint32_t> by_row(rows.data(), other_rows.data());
  CubScratch scratch;
  scratch.Run(cuda, [&](void* storage, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(storage, bytes, by_key, by_row, info.n_rows, 0, NumKeyBits(NumGroups(info)),
                                           cuda.stream);
  });
  return std::move(by_row.Current() == rows.data() ? rows : other_rows);
}

}  // namespace kauri::cuda
