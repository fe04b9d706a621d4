#include "cuda/common/launch.h"
#include "cuda/hist/split/feature_scan.cuh"
#include "cuda/hist/split/find_splits.h"
#include "cuda/hist/split/node_feature.cuh"
#include "tree/split_rules.h"

namespace kauri::cuda {
namespace {

using namespace bin_scan;

constexpr std::uint32_t kSiblings = 2;
constexpr int kThreads = kSiblings * kNarrowPerBlock;
constexpr std::uint32_t kWarpsOfSibling = kNarrowPerBlock / 32;

/// Bins of a feature in a node, in a thread's registers.
struct NarrowBins {
  FixedSum cells[kNarrowCodes];
  std::uint32_t count;

  __device__ std::uint32_t Bin(std::uint32_t i) const { return i; }
  __device__ FixedSum Sum(std::uint32_t i) const {
    FixedSum sum = cells[0];
#pragma unroll
    for (std::uint32_t code = 1; code < kNarrowCodes; ++code) {
      if (code == i) sum = cells[code];
    }
    return sum;
  }
};

/// Reads the bins of the smaller sibling, and computes its most frequent bin (`most_frequent`).
__device__ __forceinline__ NarrowBins ReadSmall(FeatureCodes const& codes, SearchedPair const& pair) {
  FeatureSums const from{pair.small + codes.first_sum, codes.sum_stride};
  NarrowBins bins{{}, codes.n_bins};
  FixedSum others;
#pragma unroll
  for (std::uint32_t code = 0; code < kNarrowCodes; ++code) {
    if (code >= codes.n_codes || code == codes.most_frequent) continue;
    bins.cells[code] = from[code];
    others += bins.cells[code];
  }
#pragma unroll
  for (std::uint32_t code = 0; code < kNarrowCodes; ++code) {
    if (code == codes.most_frequent) bins.cells[code] = pair.small_sum - others;
  }
  return bins;
}

/// Computes the bins of the larger sibling and stores them in place of the parent's.
__device__ __forceinline__ NarrowBins MakeLarge(FeatureCodes const& codes, SearchedPair const& pair,
                                                NarrowBins const& small) {
  FeatureSums const large{pair.large + codes.first_sum, codes.sum_stride};
  NarrowBins bins{{}, codes.n_bins};
#pragma unroll
  for (std::uint32_t code = 0; code < kNarrowCodes; ++code) {
    if (code < codes.n_codes) bins.cells[code] = large[code] = large[code] - small.cells[code];
  }
  return bins;
}

/// Finds the best split of one feature of one node. bins: the node's bins of the feature.
__device__ __forceinline__ BinCandidate FindNarrowAt(FindTask const& task, GainParam const& gain, std::int32_t index,
                                                     std::uint32_t place, NarrowBins const& bins) {
  if (index < 0 || !MayUse(task, task.nodes[index], place)) return {};
  std::uint32_t const feature = task.tree_features.data()[place];
  if (task.is_categorical != nullptr && task.is_categorical[feature] != 0) return {};
  SearchedNode const& node = task.nodes[index];
  int const sign = task.signs == nullptr ? 0 : static_cast<int>(task.signs[feature]);
  FeatureScan<NarrowBins> const scan{
      task, gain, task.features[feature], node, sign, AddCost(node.gain, task.costs, feature), bins};
  FixedSum present;
  for (std::uint32_t bin = 0; bin < bins.count; ++bin) present += bins.Sum(bin);
  return scan.Exact({0, bins.count, {}, false}, scan.Missing(present));
}

/// Returns the lane with the best candidate of a warp, the first one if several are equal, because features ascend; -1
/// if there is no candidate.
__device__ __forceinline__ int BestLane(BinCandidate const& own) {
  bool const is_found = own.order != BinCandidate::kNone;
  double most = is_found ? own.loss_change : -1.0;  // a candidate gains at least 0
#pragma unroll
  for (int step = 16; step > 0; step /= 2) most = fmax(most, __shfl_xor_sync(kAllLanes, most, step));
  return __ffs(static_cast<int>(__ballot_sync(kAllLanes, is_found && own.loss_change == most))) - 1;
}

/// Splits that the warps of a block found: for the smaller sibling, and for the larger one.
using FoundNarrowSplits = SplitCandidate[kSiblings][kWarpsOfSibling];

/// Searches the narrow features from index `first` on. Called by all threads of a block.
__device__ __forceinline__ void FindNarrowInBlock(FindTask const& task, GainParam const& gain, SearchedPair const& pair,
                                                  std::uint32_t first, FoundNarrowSplits& found) {
  std::uint32_t const sibling = threadIdx.x / kNarrowPerBlock;
  std::uint32_t const number = first + threadIdx.x % kNarrowPerBlock;
  bool const is_large = sibling == 1;
  bool const is_there = number < task.by_width.narrow.size() && (!is_large || pair.large != nullptr);
  std::int32_t const index = is_large ? pair.large_node : pair.small_node;
  auto* const histogram = is_large ? pair.large : pair.small;
  std::uint32_t const place = is_there ? task.by_width.narrow.data()[number] : 0;
  std::uint32_t const feature = task.tree_features.data()[place];
  FeatureCodes const& codes = task.features[feature];
  BinCandidate candidate;
  if (is_there) {
    NarrowBins bins = ReadSmall(codes, pair);
    if (is_large) {
      bins = MakeLarge(codes, pair, bins);
    } else if (codes.most_frequent != kNoMostFrequent) {
      pair.small[codes.first_sum + std::uint64_t{codes.most_frequent} * codes.sum_stride] =
          bins.Sum(codes.most_frequent);
    }
    candidate = FindNarrowAt(task, gain, index, place, bins);
  }
  int const best = BestLane(candidate);
  auto* const answer = &found[sibling][threadIdx.x / 32 % kWarpsOfSibling];
  if (best < 0 && Lane() == 0) *answer = SplitCandidate();
  if (best == static_cast<int>(Lane())) {
    FeatureSums const cells{histogram + codes.first_sum, codes.sum_stride};
    *answer = {candidate.loss_change,
               feature,
               ThresholdOf(task, feature, candidate.order, cells),
               candidate.order >= BinCandidate::kDown,
               candidate.left,
               task.nodes[index].sum - candidate.left};
  }
  __syncthreads();
}

/// blockIdx.x: some of the blocks of narrow features; blockIdx.y: a pair.
__global__ void __launch_bounds__(kThreads) FindNarrowKernel(FindTask task, FeatureBlocks blocks) {
  __shared__ FoundNarrowSplits found;
  if (blockIdx.x == 0 && blockIdx.y == 0) CopyNumLeft(task, kThreads);
  std::uint32_t const stride = gridDim.x * kNarrowPerBlock;
  for (std::uint32_t number = blockIdx.y; number < task.pairs.size(); number += gridDim.y) {
    SearchedPair const pair = task.pairs.data()[number];
    if (pair.small == nullptr) continue;
    GainParam const gain = task.GainOf(number);
    std::int32_t const node = threadIdx.x == 0 ? pair.small_node : threadIdx.x == 32 ? pair.large_node : -1;
    SplitCandidate best;
    for (auto first = blockIdx.x * kNarrowPerBlock; first < task.by_width.narrow.size(); first += stride) {
      FindNarrowInBlock(task, gain, pair, first, found);
      if (node >= 0) {
        for (auto const& candidate : found[threadIdx.x / 32]) {
          if (IsBetter(candidate, best)) best = candidate;
        }
      }
      __syncthreads();
    }
    if (node >= 0) task.best[std::int64_t{node} * blocks.All() + blockIdx.x] = best;
  }
}

}  // namespace

void FindNarrowSplits(CudaContext const& cuda, FindTask const& task, FeatureBlocks const& blocks, unsigned n_pairs) {
  LaunchGrid(cuda, {blocks.narrow, n_pairs}, kThreads, FindNarrowKernel, task, blocks);
}

}  // namespace kauri::cuda
