/// A block takes a range of rows of one feature. If the feature has few categories in few nodes, many rows fall into
/// one cell. The block then adds up in shared memory and adds each cell's sum to device memory. Otherwise each row is
/// added to device memory directly. Integer additions commute, so the sums do not depend on this choice.
#include <algorithm>

#include "cuda/common/launch.h"
#include "cuda/exact/categories/category_sums.h"
#include "cuda/exact/entries/warp_tile.cuh"

namespace kauri::cuda {
namespace {

/// The input of the kernel: codes of the features, and the positions of the rows.
struct SumTask {
  CategoryTable table;
  CategorySlice slice;
  std::int32_t const* positions;
  FixedPair const* pairs;
  FixedSum* sums;
};

/// Calls add(node of the slice, index of the category, pair) for each of the block's rows that has a category and is in
/// the slice.
template <typename Add>
__device__ __forceinline__ void ForEachRow(SumTask const& task, CategoryFeature const& feature, Add&& add) {
  std::int64_t const begin = static_cast<std::int64_t>(blockIdx.x) * kRowsPerSumBlock;
  std::int64_t const end = min(begin + kRowsPerSumBlock, task.table.n_rows);
  std::uint32_t const* codes = task.table.codes + feature.column * task.table.n_rows;
  for (std::int64_t row = begin + threadIdx.x; row < end; row += kBlockThreads) {
    std::int32_t const position = task.positions[row];
    if (position < task.slice.first || position - task.slice.first >= task.slice.n_nodes) continue;
    std::uint32_t const code = codes[row];
    FixedPair const pair = task.pairs[row];
    if (code == 0 || (pair.gradient == 0 && pair.hessian == 0)) continue;
    add(position - task.slice.first, static_cast<std::int32_t>(code - 1), pair);
  }
}

__device__ __forceinline__ FixedSum* CellOf(SumTask const& task, CategoryFeature const& feature, std::int32_t node,
                                            std::int32_t index) {
  return task.sums + node * task.table.n_cells + feature.first_cell + index;
}

/// parts: [4, n_own], where n_own is the number of the feature's cells in the slice.
__device__ void AddShared(SumTask const& task, CategoryFeature const& feature, int n_own, unsigned* parts) {
  for (int i = static_cast<int>(threadIdx.x); i < 4 * n_own; i += kBlockThreads) parts[i] = 0;
  __syncthreads();
  ForEachRow(task, feature, [&](std::int32_t node, std::int32_t index, FixedPair pair) {
    unsigned* const part = parts + node * feature.n_categories + index;
    atomicAdd(part, NumberParts::Low(pair.gradient));
    atomicAdd(part + n_own, NumberParts::High(pair.gradient));
    atomicAdd(part + 2 * n_own, NumberParts::Low(pair.hessian));
    atomicAdd(part + 3 * n_own, NumberParts::High(pair.hessian));
  });
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < n_own; i += kBlockThreads) {
    FixedSum const sum{NumberParts::Join(parts[i], parts[i + n_own]),
                       NumberParts::Join(parts[i + 2 * n_own], parts[i + 3 * n_own])};
    if (sum == FixedSum()) continue;
    AtomicAdd(CellOf(task, feature, i / feature.n_categories, i % feature.n_categories), sum);
  }
  __syncthreads();
}

/// blockIdx.x: the range of rows; blockIdx.y and so on: the feature.
__global__ void __launch_bounds__(kBlockThreads) AddByCategoryKernel(__grid_constant__ SumTask const task) {
  __shared__ unsigned parts[4 * kSharedCells];
  for (auto place = static_cast<std::int32_t>(blockIdx.y); place < task.table.n_features;
       place += static_cast<std::int32_t>(gridDim.y)) {
    CategoryFeature const feature = task.table.features[place];
    std::int64_t const n_own = static_cast<std::int64_t>(task.slice.n_nodes) * feature.n_categories;
    if (n_own <= kSharedCells) {
      AddShared(task, feature, static_cast<int>(n_own), parts);
    } else {
      ForEachRow(task, feature, [&](std::int32_t node, std::int32_t index, FixedPair pair) {
        AtomicAdd(CellOf(task, feature, node, index), FixedSum{pair.gradient, pair.hessian});
      });
    }
  }
}

constexpr std::int32_t kMostGridRows = 65535;

}  // namespace

void AddByCategory(CudaContext const& ctx, CategoryTable const& table, CategorySlice const& slice,
                   std::int32_t const* positions, FixedPair const* pairs, FixedSum* sums) {
  FillZero(ctx, sums, static_cast<std::size_t>(slice.n_nodes * table.n_cells));
  auto const stretches = static_cast<unsigned>((table.n_rows + kRowsPerSumBlock - 1) / kRowsPerSumBlock);
  auto const features = static_cast<unsigned>(std::min(table.n_features, kMostGridRows));
  LaunchGrid(ctx, dim3(stretches, features), kBlockThreads, AddByCategoryKernel,
             SumTask{table, slice, positions, pairs, sums});
}

}  // namespace kauri::cuda
