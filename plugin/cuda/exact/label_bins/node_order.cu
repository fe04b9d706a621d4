#include <cub/device/device_radix_sort.cuh>

#include "cuda/common/launch.h"
#include "cuda/exact/label_bins/node_order.h"

namespace kauri::cuda {
namespace {

constexpr int kThreads = 256;

/// Lists the node of each row. Rows that are not sampled have a position as well, but get n_nodes.
__global__ void __launch_bounds__(kThreads)
    ListRowsKernel(Span<std::int32_t const> positions, std::uint8_t const* sampled, std::int32_t n_nodes,
                   std::uint32_t* nodes, std::uint32_t* rows) {
  std::size_t const row = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (row >= positions.size()) return;
  std::int32_t const position = positions.data()[row];
  bool const is_in = position >= 0 && (sampled == nullptr || sampled[row] != 0);
  nodes[row] = static_cast<std::uint32_t>(is_in ? position : n_nodes);
  rows[row] = static_cast<std::uint32_t>(row);
}

/// Finds the first place whose node is not below the thread's node.
__global__ void __launch_bounds__(kThreads)
    FindBeginKernel(std::uint32_t const* nodes, std::int64_t n_rows, std::int32_t n_nodes, std::int64_t* begin) {
  std::int64_t const node = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (node > n_nodes) return;
  std::int64_t first = 0;
  for (std::int64_t end = n_rows; first < end;) {
    std::int64_t const middle = first + (end - first) / 2;
    if (static_cast<std::int64_t>(nodes[middle]) < node) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  begin[node] = first;
}

/// Returns the number of bits of numbers up to n.
int BitsFor(std::int32_t n) {
  int bits = 1;
  while ((n >> bits) != 0) ++bits;
  return bits;
}

}  // namespace

RowsByNode NodeOrder::Sort(CudaContext const& cuda, Span<std::int32_t const> positions,
                           Span<std::uint8_t const> sampled, std::int32_t n_nodes) {
  auto const n_rows = static_cast<std::int64_t>(positions.size());
  for (auto* buffer : {&nodes_, &sorted_nodes_, &rows_, &sorted_rows_}) buffer->Reserve(cuda, positions.size());
  begin_.Reserve(cuda, static_cast<std::size_t>(n_nodes) + 1);
  Launch(cuda, GridFor(n_rows, kThreads), kThreads, ListRowsKernel, positions,
         sampled.empty() ? nullptr : sampled.data(), n_nodes, nodes_.data(), rows_.data());
  CubScratch scratch;
  scratch.Run(cuda, [&](void* temp, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(temp, bytes, nodes_.data(), sorted_nodes_.data(), rows_.data(),
                                           sorted_rows_.data(), n_rows, 0, BitsFor(n_nodes), cuda.stream);
  });
  Launch(cuda, GridFor(std::int64_t{n_nodes} + 1, kThreads), kThreads, FindBeginKernel, sorted_nodes_.data(), n_rows,
         n_nodes, begin_.data());
  return {sorted_nodes_.data(), sorted_rows_.data(), begin_.data(), n_rows, n_nodes};
}

}  // namespace kauri::cuda
