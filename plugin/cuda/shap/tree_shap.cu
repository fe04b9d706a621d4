/// 1. A warp loads the elements of its bin once, one per lane, and finds its lanes' paths (path_warp.h).
/// 2. For each row of its bank: one fractions from the row's keys, EXTEND, UNWOUND SUM.
/// 3. Each feature's lane adds to the sum of its row and slot. Sums are integers, so any order gives the same bits.
/// This is Listing 2 of Mitchell et al. 2022. A bank has 1024 rows, or 100 for interactions, as in their
/// implementation.
///
/// Floor: 28 n (n - 1) lane instructions per path of n elements and row, at 30 % of the lanes' issue rate because n
/// varies. covtype's 6.7 M paths of 9.6 elements on average take 1.5 * 10^10 lane instructions a row, so 10,000 rows 15
/// s on an H100 (33 * 10^12 lane instructions/s). Additions: 8 bytes per element and row, 5 * 10^11 for it: 4 s of the
/// L2's atomic units. This is why quadrature is the default.
#include <utility>

#include "cuda/common/device_warp.cuh"
#include "cuda/common/launch.h"
#include "cuda/shap/shap_kernels.h"
#include "cuda/shap/shap_sums.cuh"
#include "predictor/lanes/path_warp.h"

namespace kauri::cuda {
namespace {

constexpr std::int64_t kRowsPerBank = 1024;
constexpr std::int64_t kRowsPerPairBank = 100;

struct PathsView {
  PathFeature const* elements;
  std::int64_t const* bin_begin;
  std::int64_t n_bins;
  CategoryConditionsView categories;
};

/// Returns the cell of a pair. Every pair of a path has one.
__device__ std::int64_t CellOfPair(ShapSumsView const& sums, std::int32_t const* table, std::int64_t output,
                                   std::int64_t a, std::int64_t b) {
  std::int64_t const n_slots = sums.cells.n_slots;
  return sums.cells.Pair(table[output * n_slots * (n_slots - 1) / 2 + b * (b - 1) / 2 + a]);
}

__device__ void AddContributions(PathWarp<DeviceWarp> const& lanes, int lane, std::int64_t row,
                                 ShapSumsView const& sums) {
  auto const phi = lanes.Contributions();
  if (lanes.IsFeature(lane)) {
    auto const output = lanes.Output(lane);
    AddToSum(sums, row, sums.cells.Slot(output, lanes.Slot(lane)), sums.units_of_output[output], phi[lane]);
  }
}

/// Adds the interactions. Each pair comes up twice, conditioned on either feature; the one on the larger slot is added.
__device__ void AddPairs(PathWarp<DeviceWarp> const& lanes, int lane, std::int64_t row, ShapSumsView const& sums,
                         std::int32_t const* table) {
  for (int rank = 1; rank <= lanes.Longest(); ++rank) {
    DeviceWarp::Var<std::uint32_t> other;
    auto const values = lanes.Interactions(rank, &other);
    if (!lanes.IsFeature(lane) || other[lane] == kRootSlot || other[lane] <= lanes.Slot(lane)) continue;
    auto const output = lanes.Output(lane);
    auto const cell = CellOfPair(sums, table, output, lanes.Slot(lane), other[lane]);
    AddToSum(sums, row, cell, sums.units_of_output[output], values[lane]);
  }
}

template <bool kPairs>
__global__ void __launch_bounds__(kBlockThreads) TreeShapKernel(PathsView paths, RowKeys keys, ShapSumsView sums,
                                                                std::int32_t const* table, std::int64_t rows_per_bank) {
  __shared__ float reciprocals[kMaxReciprocal + 1];
  if (threadIdx.x <= kMaxReciprocal) {
    reciprocals[threadIdx.x] = threadIdx.x == 0 ? 0.0F : 1.0F / static_cast<float>(threadIdx.x);
  }
  __syncthreads();
  std::int64_t const warp = (static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x) / kWarpLanes;
  std::int64_t const begin = warp / paths.n_bins * rows_per_bank;
  if (begin >= keys.n_rows) return;
  std::int64_t const end = begin + rows_per_bank < keys.n_rows ? begin + rows_per_bank : keys.n_rows;
  std::int64_t const first = paths.bin_begin[warp % paths.n_bins];
  auto const n_elements = static_cast<int>(paths.bin_begin[warp % paths.n_bins + 1] - first);
  DeviceWarp const lanes_of_warp;
  int const lane = DeviceWarp::Lane();
  PathWarp<DeviceWarp> lanes(lanes_of_warp, paths.elements + first, n_elements, reciprocals);
  for (std::int64_t row = begin; row < end; ++row) {
    lanes.ReadRow(keys.keys + row * keys.row_stride, paths.categories);
    AddContributions(lanes, lane, row, sums);
    if constexpr (kPairs) AddPairs(lanes, lane, row, sums, table);
  }
}

}  // namespace

std::vector<std::int32_t> MakePairTable(PathPairs const& pairs) {
  auto const of_output = pairs.n_slots * (pairs.n_slots - 1) / 2;
  std::vector<std::int32_t> table(pairs.n_outputs * of_output, -1);
  for (std::int64_t line = 0; line < pairs.n_outputs * pairs.n_slots; ++line) {
    auto const a = line % pairs.n_slots;
    for (auto i = pairs.begin[line]; i < pairs.begin[line + 1]; ++i) {
      auto const b = std::int64_t{pairs.other[i]};
      table[line / pairs.n_slots * of_output + b * (b - 1) / 2 + a] = static_cast<std::int32_t>(i);
    }
  }
  return table;
}

DevicePaths::DevicePaths(CudaContext const& cuda, PackedPaths const& paths)
    : utilisation_(paths.utilisation),
      n_bins_(static_cast<std::int64_t>(paths.bin_begin.size()) - 1),
      elements_(ToDevice(cuda, paths.elements)),
      bin_begin_(ToDevice(cuda, paths.bin_begin)),
      conditions_(ToDevice(cuda, paths.categories.Conditions())),
      sets_(ToDevice(cuda, paths.categories.Sets().Sets())),
      set_data_(ToDevice(cuda, paths.categories.Sets().Data())) {
  cuda.Synchronize();  // for the host's arrays, which their owner frees
}

DevicePaths::DevicePaths(PackedOnDevice paths)
    : utilisation_(paths.utilisation),
      n_bins_(paths.n_bins),
      elements_(std::move(paths.elements)),
      bin_begin_(std::move(paths.bin_begin)) {}

void DevicePaths::Add(CudaContext const& cuda, RowKeys const& keys, ShapSumsView const& sums,
                      std::int32_t const* pair_table) const {
  if (n_bins_ == 0 || keys.n_rows == 0) return;
  PathsView const paths{
      elements_.data(), bin_begin_.data(), n_bins_, {conditions_.data(), {sets_.data(), set_data_.data()}}};
  auto const rows_per_bank = pair_table != nullptr ? kRowsPerPairBank : kRowsPerBank;
  auto const n_warps = n_bins_ * ((keys.n_rows + rows_per_bank - 1) / rows_per_bank);
  auto* const kernel = pair_table != nullptr ? &TreeShapKernel<true> : &TreeShapKernel<false>;
  Launch(cuda, GridFor(n_warps * kWarpLanes, kBlockThreads), kBlockThreads, kernel, paths, keys, sums, pair_table,
         rows_per_bank);
}

}  // namespace kauri::cuda
