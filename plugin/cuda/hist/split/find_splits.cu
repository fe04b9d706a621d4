#include "cuda/common/launch.h"
#include "cuda/hist/split/feature_scan.cuh"
#include "cuda/hist/split/find_splits.h"

namespace kauri::cuda {
namespace {

constexpr int kThreads = 32 * static_cast<int>(kFeaturesPerBlock);
constexpr unsigned kMaxGridY = 65535;

__device__ __forceinline__ float ThresholdOf(FindTask const& task, std::uint32_t feature, std::uint32_t order,
                                             FeatureSums const& cells) {
  FeatureCodes const& codes = task.features[feature];
  if (order < BinCandidate::kDown) return task.cut_values[codes.first_cut + order];
  std::uint32_t bin = 0;  // the first on the right
  if (order == BinCandidate::kAlone) {
    while (cells[bin] == FixedSum{}) ++bin;
  } else {
    bin = BinCandidate::BinOfDown(order);
  }
  return bin > 0 ? task.cut_values[codes.first_cut + bin - 1] : task.min_values[feature];
}

/// Completes the cell of the usual code of a feature in a bundle.
__device__ __forceinline__ void FillUsual(FeatureCodes const& codes, FixedSum total, FeatureSums const& cells) {
  FixedSum others;
  for (std::uint32_t code = Lane(); code < codes.n_codes; code += 32) {
    if (code != codes.usual) others += cells[code];
  }
  others = WarpSum(others);
  if (Lane() == 0) cells[codes.usual] = total - others;
  __syncwarp();
}

/// Copies the cells of a feature to where the warp reads them; of the larger sibling they are made first: the parent's
/// less those of the smaller. All reads of a turn are under way at the same time.
__device__ __forceinline__ void Stage(FeatureCodes const& codes, FeatureSums const& small, FeatureSums const& large,
                                      StagedCells* staged) {
  constexpr std::uint32_t kTurns = kStagedCells / 32;
  __syncwarp();
  for (std::uint32_t first = 0; first < codes.n_codes; first += 32 * kTurns) {
    FixedSum cells[kTurns];
    FixedSum parents[kTurns];
#pragma unroll
    for (std::uint32_t turn = 0; turn < kTurns; ++turn) {
      std::uint32_t const code = first + 32 * turn + Lane();
      bool const is_code = code < codes.n_codes;
      cells[turn] = is_code ? small[code] : FixedSum{};
      parents[turn] = is_code && large.first != nullptr ? large[code] : FixedSum{};
    }
#pragma unroll
    for (std::uint32_t turn = 0; turn < kTurns; ++turn) {
      std::uint32_t const code = first + 32 * turn + Lane();
      if (code >= codes.n_codes) continue;
      if (large.first != nullptr) large[code] = cells[turn] = parents[turn] - cells[turn];
      if (code < kStagedCells) staged->cells[StagedCells::Place(code)] = cells[turn];
    }
  }
  __syncwarp();
}

__device__ __forceinline__ bool MayUse(FindTask const& task, SearchedNode const& node, std::uint32_t place) {
  auto const n_features = static_cast<std::int64_t>(task.tree_features.size());
  return node.allowed < 0 || task.allowed[node.allowed * n_features + place] != 0;
}

/// What a warp finds at one feature for one node; only the first lane's counts.
__device__ __forceinline__ SplitCandidate FindAt(FindTask const& task, std::int32_t index, std::uint32_t place,
                                                 FixedSum* histogram, StagedCells const* staged) {
  if (index < 0 || !MayUse(task, task.nodes[index], place)) return {};
  std::uint32_t const feature = task.tree_features.data()[place];
  if (task.is_categorical != nullptr && task.is_categorical[feature] != 0) return {};
  FeatureCodes const& codes = task.features[feature];
  FeatureSums const cells{histogram + codes.first_sum, codes.sum_stride};
  SearchedNode const& node = task.nodes[index];
  int const sign = task.signs == nullptr ? 0 : static_cast<int>(task.signs[feature]);
  BinCandidate const best = WarpBest(FeatureScan{task, codes, node, sign, cells, staged}.Find());
  if (best.order == BinCandidate::kNone) return {};
  return {best.loss_change,
          feature,
          ThresholdOf(task, feature, best.order, cells),
          best.order >= BinCandidate::kDown,
          best.left,
          node.sum - best.left};
}

/// The best of a block's features.
__device__ __forceinline__ void WriteBest(FindTask const& task, std::int32_t index, SplitCandidate const* found) {
  if (index < 0) return;
  std::uint32_t best = 0;
  for (std::uint32_t other = 1; other < kFeaturesPerBlock; ++other) {
    if (IsBetter(found[other], found[best])) best = other;
  }
  task.best[static_cast<std::int64_t>(index) * gridDim.x + blockIdx.x] = found[best];
}

/// blockIdx.x: a block of features; blockIdx.y: a pair.
__global__ void __launch_bounds__(kThreads) FindSplitsKernel(FindTask task) {
  __shared__ StagedCells staged[kFeaturesPerBlock];
  __shared__ SplitCandidate found[2][kFeaturesPerBlock];
  std::uint32_t const warp = threadIdx.x / 32;
  std::uint32_t const place = blockIdx.x * kFeaturesPerBlock + warp;
  if (blockIdx.x == 0 && blockIdx.y == 0) {
    for (auto i = threadIdx.x; i < task.n_left.size(); i += kThreads) task.n_left_out[i] = task.n_left.data()[i];
  }
  for (std::uint32_t index = blockIdx.y; index < task.pairs.size(); index += gridDim.y) {
    SearchedPair const pair = task.pairs.data()[index];
    SplitCandidate small;
    SplitCandidate large;
    if (place < task.tree_features.size()) {
      FeatureCodes const& codes = task.features[task.tree_features.data()[place]];
      FeatureSums const small_cells{pair.small + codes.first_sum, codes.sum_stride};
      if (codes.usual != kNoUsual) FillUsual(codes, pair.small_sum, small_cells);
      if (pair.small_node >= 0) {
        Stage(codes, small_cells, {nullptr, 0}, &staged[warp]);
        small = FindAt(task, pair.small_node, place, pair.small, &staged[warp]);
      }
      if (pair.large != nullptr) {
        Stage(codes, small_cells, {pair.large + codes.first_sum, codes.sum_stride}, &staged[warp]);
        large = FindAt(task, pair.large_node, place, pair.large, &staged[warp]);
      }
    }
    if (Lane() == 0) {
      found[0][warp] = small;
      found[1][warp] = large;
    }
    __syncthreads();
    if (threadIdx.x == 0) WriteBest(task, pair.small_node, found[0]);
    if (threadIdx.x == 32) WriteBest(task, pair.large_node, found[1]);
    __syncthreads();
  }
}

}  // namespace

void FindSplits(CudaContext const& cuda, FindTask const& task) {
  dim3 const grid(NumFeatureBlocks(task.tree_features.size()),
                  static_cast<unsigned>(std::min<std::size_t>(task.pairs.size(), kMaxGridY)));
  LaunchGrid(cuda, grid, kThreads, FindSplitsKernel, task);
}

}  // namespace kauri::cuda
