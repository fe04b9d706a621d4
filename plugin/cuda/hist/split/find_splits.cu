#include <algorithm>

#include "cuda/common/launch.h"
#include "cuda/hist/split/feature_scan.cuh"
#include "cuda/hist/split/find_narrow_splits.h"
#include "cuda/hist/split/find_splits.h"
#include "cuda/hist/split/found_threshold.cuh"
#include "cuda/hist/split/limited_scan.cuh"
#include "cuda/hist/split/node_feature.cuh"
#include "tree/split_cost.h"

namespace kauri::cuda {
namespace {

using namespace bin_scan;

constexpr int kSiblings = 2;
constexpr int kThreads = 32 * kSiblings * static_cast<int>(kFeaturesPerBlock);
constexpr unsigned kMaxGridY = 65535;

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
__device__ __forceinline__ void Stage(FindTask const& task, SearchedPair const& pair, std::uint32_t first,
                                      SharedCells* shared) {
  constexpr std::uint32_t kThreadsOfFeature = kThreads / kFeaturesPerBlock;
  constexpr std::uint32_t kTurns = kStagedCells / kThreadsOfFeature;
  std::uint32_t const of_block = threadIdx.x % kFeaturesPerBlock;
  std::uint32_t const place = PlaceAt(task, first + of_block);
  if (place == kNoPlace) return;
  FeatureCodes const& codes = task.features[task.tree_features.data()[place]];
  FeatureSums const small{pair.small + codes.first_sum, codes.sum_stride};
  FeatureSums const large{pair.large + codes.first_sum, codes.sum_stride};
  for (std::uint32_t begin = threadIdx.x / kFeaturesPerBlock; begin < codes.n_codes;
       begin += kThreadsOfFeature * kTurns) {
    FixedSum cells[kTurns];
    FixedSum parents[kTurns];
#pragma unroll
    for (std::uint32_t turn = 0; turn < kTurns; ++turn) {
      std::uint32_t const code = begin + turn * kThreadsOfFeature;
      bool const is_code = code < codes.n_codes;
      cells[turn] = is_code ? small[code] : FixedSum{};
      parents[turn] = is_code && pair.large != nullptr ? large[code] : FixedSum{};
    }
#pragma unroll
    for (std::uint32_t turn = 0; turn < kTurns; ++turn) {
      std::uint32_t const code = begin + turn * kThreadsOfFeature;
      if (code >= codes.n_codes) continue;
      if (code < kStagedCells) shared->small[of_block].cells[StagedCells::Place(code)] = cells[turn];
      if (pair.large == nullptr) continue;
      FixedSum const rest = parents[turn] - cells[turn];
      large[code] = rest;
      if (code < kStagedCells) shared->large[of_block].cells[StagedCells::Place(code)] = rest;
    }
  }
}

/// The counts of the larger sibling at the block's features: the parent's less those of the smaller. All threads of a
/// block call it, after which they wait for each other.
__device__ __forceinline__ void SubtractCounts(FindTask const& task, SearchedPair const& pair, std::uint32_t first) {
  std::uint32_t const place = PlaceAt(task, first + threadIdx.x % kFeaturesPerBlock);
  if (task.limits.least_rows <= 1 || pair.large == nullptr || place == kNoPlace) return;
  FeatureCodes const& codes = task.features[task.tree_features.data()[place]];
  FeatureSums const small = CountsOf(task, codes, pair.small);
  FeatureSums const large = CountsOf(task, codes, pair.large);
  for (std::uint32_t code = threadIdx.x / kFeaturesPerBlock; code < codes.n_codes;
       code += kThreads / kFeaturesPerBlock) {
    large[code] = large[code] - small[code];
  }
}

/// Completes the count of the usual code of a feature in a bundle; a warp calls it.
__device__ __forceinline__ void CountUsual(FindTask const& task, FeatureCodes const& codes, SearchedPair const& pair,
                                           std::int64_t n_small) {
  if (task.limits.least_rows <= 1) return;
  FeatureSums const small = CountsOf(task, codes, pair.small);
  FixedSum others;
  for (std::uint32_t code = Lane(); code < codes.n_codes; code += 32) {
    if (code != codes.usual) others += small[code];
  }
  FixedSum const usual = FixedSum{n_small, 0} - WarpSum(others);
  if (Lane() == 0) {
    if (pair.large != nullptr) {
      FeatureSums const large = CountsOf(task, codes, pair.large);
      large[codes.usual] = large[codes.usual] + small[codes.usual] - usual;
    }
    small[codes.usual] = usual;
  }
  __syncwarp();
}

/// A sibling, as a warp searches it.
struct SearchedSibling {
  std::int32_t index;  ///< among the nodes, or -1
  FixedSum* histogram;
  StagedCells const* staged;
  std::int64_t n_rows;  ///< read where they are counted
};

__device__ __forceinline__ SplitLimits LimitsOf(FindTask const& task, SearchedNode const& node, std::int64_t n_rows) {
  return {{task.limits.least_rows, n_rows}, {task.limits.draws, node.draw_key}};
}

/// What a warp finds at one feature for one node; only the first lane's counts.
template <bool kLimited>
__device__ __forceinline__ SplitCandidate FindAt(FindTask const& task, SearchedSibling const& sibling,
                                                 std::uint32_t place) {
  std::int32_t const index = sibling.index;
  if (index < 0 || !MayUse(task, task.nodes[index], place)) return {};
  std::uint32_t const feature = task.tree_features.data()[place];
  if (task.is_categorical != nullptr && task.is_categorical[feature] != 0) return {};
  FeatureCodes const& codes = task.features[feature];
  FeatureSums const cells{sibling.histogram + codes.first_sum, codes.sum_stride};
  FeatureSums const counts = CountsOf(task, codes, sibling.histogram);
  SearchedNode const& node = task.nodes[index];
  int const sign = task.signs == nullptr ? 0 : static_cast<int>(task.signs[feature]);
  FeatureScan<AllBins> const scan{
      task, codes, node, sign, AddCost(node.gain, task.costs, feature), {codes, cells, sibling.staged}};
  BinCandidate best;
  if constexpr (kLimited) {
    best = WarpBest(LimitedScan{scan, feature, LimitsOf(task, node, sibling.n_rows), counts}.Find());
  } else {
    best = WarpBest(scan.Find());
  }
  if (best.order == BinCandidate::kNone) return {};
  return {best.loss_change,
          feature,
          ThresholdOf(task, feature, best.order, task.limits.least_rows > 1 ? counts : cells),
          best.order >= BinCandidate::kDown,
          best.left,
          node.sum - best.left};
}

/// A split, and the noise that it competes with.
struct NoisySplit {
  SplitCandidate split;
  double noise = 0.0;
};

/// The same of what FindAt finds; without noise all that is found competes.
template <bool kLimited, bool kNoisy>
__device__ __forceinline__ NoisySplit CompeteAt(FindTask const& task, SearchedSibling const& sibling,
                                                std::uint32_t place) {
  NoisySplit found{FindAt<kLimited>(task, sibling, place)};
  if constexpr (kNoisy) {
    if (!found.split.IsValid()) return found;
    GainNoise const noise = task.noise.Of(sibling.index);
    if (!noise.Admits(found.split)) return {};
    found.noise = noise.Of(found.split.feature);
  }
  return found;
}

template <bool kNoisy>
__device__ __forceinline__ void KeepBetter(NoisySplit const& found, NoisySplit* best) {
  if (kNoisy ? IsBetterWithNoise(found.split, found.noise, best->split, best->noise)
             : IsBetter(found.split, best->split)) {
    *best = found;
  }
}

/// What the warps of a block found at its features: for the smaller sibling, and for the larger one.
using FoundSplits = NoisySplit[kSiblings][kFeaturesPerBlock];

/// Rows of the smaller sibling, and of both.
struct PairRows {
  std::int64_t small = 0;
  std::int64_t both = 0;
};

__device__ __forceinline__ PairRows RowsOf(FindTask const& task, std::uint32_t index) {
  if (task.limits.least_rows <= 1) return {};
  HistogramNode const& node = task.limits.rows[index];
  return {NumRowsOf(node, task.limits.n_left), node.rows.count};
}

/// Searches the features from the one at `first` on; all threads of a block call it. A warp has one feature of one
/// sibling.
template <bool kLimited, bool kNoisy>
__device__ __forceinline__ void FindInBlock(FindTask const& task, SearchedPair const& pair, PairRows const& rows,
                                            std::uint32_t first, SharedCells* shared, FoundSplits& found) {
  std::uint32_t const of_block = threadIdx.x / 32 % kFeaturesPerBlock;
  std::uint32_t const sibling = threadIdx.x / 32 / kFeaturesPerBlock;
  std::uint32_t const place = PlaceAt(task, first + of_block);
  bool const is_there = place != kNoPlace;
  Stage(task, pair, first, shared);
  if constexpr (kLimited) SubtractCounts(task, pair, first);
  __syncthreads();
  if (is_there && sibling == 0) {
    FeatureCodes const& codes = task.features[task.tree_features.data()[place]];
    if (codes.usual != kNoUsual) {
      FillUsual(codes, pair, &shared->small[of_block], &shared->large[of_block]);
      if constexpr (kLimited) CountUsual(task, codes, pair, rows.small);
    }
  }
  __syncthreads();
  NoisySplit candidate;
  if (is_there && sibling == 0) {
    SearchedSibling const small{pair.small_node, pair.small, &shared->small[of_block], rows.small};
    candidate = CompeteAt<kLimited, kNoisy>(task, small, place);
  }
  if (is_there && sibling == 1) {
    SearchedSibling const large{pair.large_node, pair.large, &shared->large[of_block], rows.both - rows.small};
    candidate = CompeteAt<kLimited, kNoisy>(task, large, place);
  }
  if (Lane() == 0) found[sibling][of_block] = candidate;
  __syncthreads();
}

/// blockIdx.x: some of the blocks of wide features; blockIdx.y: a pair. kLimited: task.limits hold. kNoisy: so does
/// task.noise.
template <bool kLimited, bool kNoisy>
__global__ void __launch_bounds__(kThreads) FindSplitsKernel(FindTask task, FeatureBlocks blocks) {
  extern __shared__ FixedSum shared_sums[];
  __shared__ FoundSplits found;
  auto* const shared = reinterpret_cast<SharedCells*>(shared_sums);
  if (blockIdx.x == 0 && blockIdx.y == 0) CopyNumLeft(task, kThreads);
  std::uint32_t const stride = gridDim.x * kFeaturesPerBlock;
  for (std::uint32_t index = blockIdx.y; index < task.pairs.size(); index += gridDim.y) {
    SearchedPair const pair = task.pairs.data()[index];
    if (pair.small == nullptr) continue;
    PairRows const rows = kLimited ? RowsOf(task, index) : PairRows{};
    std::int32_t const node = threadIdx.x == 0 ? pair.small_node : threadIdx.x == 32 ? pair.large_node : -1;
    NoisySplit best;
    for (auto first = blockIdx.x * kFeaturesPerBlock; first < NumWide(task); first += stride) {
      FindInBlock<kLimited, kNoisy>(task, pair, rows, first, shared, found);
      if (node < 0) continue;
      for (auto const& candidate : found[threadIdx.x / 32]) KeepBetter<kNoisy>(candidate, &best);
    }
    if (node >= 0) task.best[std::int64_t{node} * blocks.All() + blocks.narrow + blockIdx.x] = best.split;
  }
}

using Kernel = void (*)(FindTask, FeatureBlocks);

Kernel KernelFor(FindTask const& task) {
  if (task.limits.IsOn()) return task.noise.IsOn() ? FindSplitsKernel<true, true> : FindSplitsKernel<true, false>;
  return task.noise.IsOn() ? FindSplitsKernel<false, true> : FindSplitsKernel<false, false>;
}

}  // namespace

FeatureBlocks NumFeatureBlocks(FindTask const& task, std::size_t n_pairs) {
  // Enough blocks to fill a device some times over; each has an answer for the host to read, which takes it longer.
  constexpr std::size_t kManyBlocks = 1024;
  constexpr std::size_t kManyPairs = 256;  // fill it alone
  auto const share = n_pairs >= kManyPairs ? 1 : kManyBlocks / std::max<std::size_t>(1, n_pairs);
  auto const of = [&](std::size_t n_features, std::size_t per_block) {
    return static_cast<std::uint32_t>(std::min((n_features + per_block - 1) / per_block, share));
  };
  if (!HasNarrow(task)) return {0, of(task.tree_features.size(), kFeaturesPerBlock)};
  return {of(task.by_width.narrow.size(), kNarrowPerBlock), of(task.by_width.wide.size(), kFeaturesPerBlock)};
}

void FindSplits(CudaContext const& cuda, FindTask const& task) {
  auto const blocks = NumFeatureBlocks(task, task.pairs.size());
  auto const n_pairs = static_cast<unsigned>(std::min<std::size_t>(task.pairs.size(), kMaxGridY));
  if (blocks.narrow > 0) FindNarrowSplits(cuda, task, blocks, n_pairs);
  LaunchSharedGrid(cuda, {blocks.wide, n_pairs}, kThreads, sizeof(SharedCells), KernelFor(task), task, blocks);
}

}  // namespace kauri::cuda
