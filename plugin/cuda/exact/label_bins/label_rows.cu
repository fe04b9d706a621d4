#include <cstring>
#include <cub/device/device_radix_sort.cuh>

#include "cuda/common/launch.h"
#include "cuda/exact/label_bins/label_rows.h"

namespace kauri::cuda {
namespace {

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
__global__ void __launch_bounds__(kBlockThreads) LargestKernel(RowsTask task, unsigned long long* largest) {
  std::int64_t const stride = static_cast<std::int64_t>(gridDim.x) * kBlockThreads;
  unsigned long long weight = 0;
  unsigned long long product = 0;
  for (std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x; row < task.n_rows;
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

__global__ void __launch_bounds__(kBlockThreads) FixKernel(RowsTask task) {
  std::int64_t const row = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
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
  auto const blocks = GridFor(task.n_rows, kBlockThreads);
  Launch(cuda, blocks < kMostBlocks ? blocks : kMostBlocks, kBlockThreads, LargestKernel, task, largest_.data());
  auto const largest = ToHost(cuda, largest_.data(), 2);
  scale_ = {UnitFor(DoubleOf(largest[0]), task.n_rows), UnitFor(DoubleOf(largest[1]), task.n_rows), errors.above,
            errors.below};
  task.scale = scale_;
  task.sums = sums_.data();
  Launch(cuda, blocks, kBlockThreads, FixKernel, task);
}

namespace {

/// Lists the node of each row. Rows that are not sampled have a position as well, but get n_nodes.
__global__ void __launch_bounds__(kBlockThreads)
    ListRowsKernel(Span<std::int32_t const> positions, std::uint8_t const* sampled, std::int32_t n_nodes,
                   std::uint32_t* nodes, std::uint32_t* rows) {
  std::size_t const row = static_cast<std::size_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (row >= positions.size()) return;
  std::int32_t const position = positions.data()[row];
  bool const is_in = position >= 0 && (sampled == nullptr || sampled[row] != 0);
  nodes[row] = static_cast<std::uint32_t>(is_in ? position : n_nodes);
  rows[row] = static_cast<std::uint32_t>(row);
}

/// Finds the first place whose node is not below the thread's node.
__global__ void __launch_bounds__(kBlockThreads)
    FindBeginKernel(std::uint32_t const* nodes, std::int64_t n_rows, std::int32_t n_nodes, std::int64_t* begin) {
  std::int64_t const node = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
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
  Launch(cuda, GridFor(n_rows, kBlockThreads), kBlockThreads, ListRowsKernel, positions,
         sampled.empty() ? nullptr : sampled.data(), n_nodes, nodes_.data(), rows_.data());
  CubScratch scratch;
  scratch.Run(cuda, [&](void* temp, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(temp, bytes, nodes_.data(), sorted_nodes_.data(), rows_.data(),
                                           sorted_rows_.data(), n_rows, 0, BitsFor(n_nodes), cuda.stream);
  });
  Launch(cuda, GridFor(std::int64_t{n_nodes} + 1, kBlockThreads), kBlockThreads, FindBeginKernel, sorted_nodes_.data(),
         n_rows, n_nodes, begin_.data());
  return {sorted_nodes_.data(), sorted_rows_.data(), begin_.data(), n_rows, n_nodes};
}

}  // namespace kauri::cuda
