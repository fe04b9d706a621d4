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

/// What the blocks of a launch have in shared memory: a place for each feature's cells of either sibling.
struct SharedCells {
  StagedCells small[kFeaturesPerBlock];
  StagedCells large[kFeaturesPerBlock];
};

/// Completes the cell of the usual code of a feature in a bundle: what the larger sibling has there follows.
__device__ __forceinline__ void FillUsual(FeatureCodes const& codes, SearchedPair const& pair, StagedCells* small,
                                          StagedCells* large) {
  FixedSum others;
  for (std::uint32_t code = Lane(); code < codes.n_codes; code += 32) {
    if (code != codes.usual) others += small->cells[StagedCells::Place(code)];
  }
  FixedSum const usual = pair.small_sum - WarpSum(others);
  if (Lane() == 0) {
    auto const place = StagedCells::Place(codes.usual);
    auto const at = codes.first_sum + static_cast<std::uint64_t>(codes.usual) * codes.sum_stride;
    if (pair.large != nullptr) {
      FixedSum const parent = large->cells[place] + small->cells[place];
      pair.large[at] = large->cells[place] = parent - usual;
    }
    pair.small[at] = small->cells[place] = usual;
  }
  __syncwarp();
}

/// Copies the cells of the block's features to shared memory; those of the larger sibling are made first: the parent's
/// less those of the smaller. All threads of a block call it: a thread has one feature, and neighbours have
/// neighbouring features, whose sums of a code lie side by side. All its reads are under way at the same time.
__device__ __forceinline__ void Stage(FindTask const& task, SearchedPair const& pair, SharedCells* shared) {
  constexpr std::uint32_t kThreadsOfFeature = kThreads / kFeaturesPerBlock;
  constexpr std::uint32_t kTurns = kStagedCells / kThreadsOfFeature;
  std::uint32_t const of_block = threadIdx.x % kFeaturesPerBlock;
  std::uint32_t const place = blockIdx.x * kFeaturesPerBlock + of_block;
  if (place >= task.tree_features.size()) return;
  FeatureCodes const& codes = task.features[task.tree_features.data()[place]];
  FeatureSums const small{pair.small + codes.first_sum, codes.sum_stride};
  FeatureSums const large{pair.large + codes.first_sum, codes.sum_stride};
  for (std::uint32_t first = threadIdx.x / kFeaturesPerBlock; first < codes.n_codes;
       first += kThreadsOfFeature * kTurns) {
    FixedSum cells[kTurns];
    FixedSum parents[kTurns];
#pragma unroll
    for (std::uint32_t turn = 0; turn < kTurns; ++turn) {
      std::uint32_t const code = first + turn * kThreadsOfFeature;
      bool const is_code = code < codes.n_codes;
      cells[turn] = is_code ? small[code] : FixedSum{};
      parents[turn] = is_code && pair.large != nullptr ? large[code] : FixedSum{};
    }
#pragma unroll
    for (std::uint32_t turn = 0; turn < kTurns; ++turn) {
      std::uint32_t const code = first + turn * kThreadsOfFeature;
      if (code >= codes.n_codes) continue;
      if (code < kStagedCells) shared->small[of_block].cells[StagedCells::Place(code)] = cells[turn];
      if (pair.large == nullptr) continue;
      FixedSum const rest = parents[turn] - cells[turn];
      large[code] = rest;
      if (code < kStagedCells) shared->large[of_block].cells[StagedCells::Place(code)] = rest;
    }
  }
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
  extern __shared__ FixedSum shared_sums[];
  __shared__ SplitCandidate found[2][kFeaturesPerBlock];
  auto* const shared = reinterpret_cast<SharedCells*>(shared_sums);
  std::uint32_t const warp = threadIdx.x / 32;
  std::uint32_t const place = blockIdx.x * kFeaturesPerBlock + warp;
  if (blockIdx.x == 0 && blockIdx.y == 0) {
    for (auto i = threadIdx.x; i < task.n_left.size(); i += kThreads) task.n_left_out[i] = task.n_left.data()[i];
  }
  for (std::uint32_t index = blockIdx.y; index < task.pairs.size(); index += gridDim.y) {
    SearchedPair const pair = task.pairs.data()[index];
    Stage(task, pair, shared);
    __syncthreads();
    SplitCandidate small;
    SplitCandidate large;
    if (place < task.tree_features.size()) {
      FeatureCodes const& codes = task.features[task.tree_features.data()[place]];
      if (codes.usual != kNoUsual) FillUsual(codes, pair, &shared->small[warp], &shared->large[warp]);
      small = FindAt(task, pair.small_node, place, pair.small, &shared->small[warp]);
      large = FindAt(task, pair.large_node, place, pair.large, &shared->large[warp]);
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
  auto const blocks = NumFeatureBlocks(task.tree_features.size());
  auto const n_pairs = static_cast<unsigned>(std::min<std::size_t>(task.pairs.size(), kMaxGridY));
  LaunchSharedGrid(cuda, {blocks, n_pairs}, kThreads, sizeof(SharedCells), FindSplitsKernel, task);
}

}  // namespace kauri::cuda
