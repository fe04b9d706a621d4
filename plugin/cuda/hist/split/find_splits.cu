#include <algorithm>
#include <type_traits>

#include "cuda/common/launch.h"
#include "cuda/hist/split/feature_scan.cuh"
#include "cuda/hist/split/find_splits.h"
#include "cuda/hist/split/limited_scan.cuh"
#include "cuda/hist/split/node_feature.cuh"
#include "tree/split_rules.h"

namespace kauri::cuda {
namespace {

using namespace bin_scan;

constexpr int kSiblings = 2;
constexpr std::uint32_t kWarps = 16;
constexpr int kThreads = 32 * static_cast<int>(kWarps);
constexpr unsigned kMaxGridY = 65535;

/// Shape of a block's work: kFeatures features of both siblings, with kParts warps for the bins of each.
template <std::uint32_t kFeaturesOfBlock>
struct BlockShape {
  static constexpr std::uint32_t kFeatures = kFeaturesOfBlock;
  static constexpr std::uint32_t kParts = kWarps / kSiblings / kFeatures;
};

/// Shape for few pairs, if one warp per feature would take longer than everything else (256 bins of one pair: 18 us on
/// an H100, and 10 us with four warps). The sums of one code of two features are a sector of memory.
using FewPairs = BlockShape<2>;
/// Shape for pairs that keep all warps of a device busy. Warps then exchange as little as possible (2,048 pairs: 404
/// us, and 706 us with FewPairs).
using ManyPairs = BlockShape<8>;

/// Shared memory of a block: the bins of each feature for either sibling.
template <typename Shape>
struct SharedCells {
  StagedCells small[Shape::kFeatures];
  StagedCells large[Shape::kFeatures];
};

/// Computes the most frequent bin (`most_frequent`) of a feature in a bundle, for the smaller sibling and then for the
/// larger one.
__device__ __forceinline__ void FillMostFrequent(FeatureCodes const& codes, SearchedPair const& pair,
                                                 StagedCells* small, StagedCells* large) {
  FixedSum others;
  for (std::uint32_t code = Lane(); code < codes.n_codes; code += 32) {
    if (code != codes.most_frequent) others += small->cells[StagedCells::Place(code)];
  }
  FixedSum const most_frequent = pair.small_sum - WarpSum(others);
  if (Lane() == 0) {
    auto const place = StagedCells::Place(codes.most_frequent);
    auto const at = codes.first_sum + static_cast<std::uint64_t>(codes.most_frequent) * codes.sum_stride;
    if (pair.large != nullptr) {
      FixedSum const parent = large->cells[place] + small->cells[place];
      pair.large[at] = large->cells[place] = parent - most_frequent;
    }
    pair.small[at] = small->cells[place] = most_frequent;
  }
  __syncwarp();
}

/// Copies the bins of the block's features to shared memory. First computes the larger sibling's: the parent's minus
/// the smaller's. All threads of a block call it: a thread has one feature, and neighbours have neighbouring features,
/// whose sums of a code lie side by side. All its reads are in flight at the same time.
template <typename Shape>
__device__ __forceinline__ void Stage(FindTask const& task, SearchedPair const& pair, std::uint32_t first,
                                      SharedCells<Shape>* shared) {
  constexpr std::uint32_t kThreadsOfFeature = kThreads / Shape::kFeatures;
  constexpr std::uint32_t kTurns = kStagedCells / kThreadsOfFeature;
  std::uint32_t const of_block = threadIdx.x % Shape::kFeatures;
  std::uint32_t const place = PlaceAt(task, first + of_block);
  if (place == kNoPlace) return;
  FeatureCodes const& codes = task.features[task.tree_features.data()[place]];
  FeatureSums const small{pair.small + codes.first_sum, codes.sum_stride};
  FeatureSums const large{pair.large + codes.first_sum, codes.sum_stride};
  for (std::uint32_t begin = threadIdx.x / Shape::kFeatures; begin < codes.n_codes;
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

/// Computes the larger sibling's row counts at the block's features: the parent's minus the smaller's. All threads of a
/// block call it, and must be synchronised afterwards.
template <typename Shape>
__device__ __forceinline__ void SubtractCounts(FindTask const& task, SearchedPair const& pair, std::uint32_t first) {
  std::uint32_t const place = PlaceAt(task, first + threadIdx.x % Shape::kFeatures);
  if (task.limits.least_rows <= 1 || pair.large == nullptr || place == kNoPlace) return;
  FeatureCodes const& codes = task.features[task.tree_features.data()[place]];
  FeatureSums const small = CountsOf(task, codes, pair.small);
  FeatureSums const large = CountsOf(task, codes, pair.large);
  for (std::uint32_t code = threadIdx.x / Shape::kFeatures; code < codes.n_codes; code += kThreads / Shape::kFeatures) {
    large[code] = large[code] - small[code];
  }
}

/// Computes the row count of a bundled feature's most frequent bin (`most_frequent`). Called by a warp.
__device__ __forceinline__ void CountMostFrequent(FindTask const& task, FeatureCodes const& codes,
                                                  SearchedPair const& pair, std::int64_t n_small) {
  if (task.limits.least_rows <= 1) return;
  FeatureSums const small = CountsOf(task, codes, pair.small);
  FixedSum others;
  for (std::uint32_t code = Lane(); code < codes.n_codes; code += 32) {
    if (code != codes.most_frequent) others += small[code];
  }
  FixedSum const most_frequent = FixedSum{n_small, 0} - WarpSum(others);
  if (Lane() == 0) {
    if (pair.large != nullptr) {
      FeatureSums const large = CountsOf(task, codes, pair.large);
      large[codes.most_frequent] = large[codes.most_frequent] + small[codes.most_frequent] - most_frequent;
    }
    small[codes.most_frequent] = most_frequent;
  }
  __syncwarp();
}

/// A sibling that a warp searches.
struct SearchedSibling {
  std::int32_t index;  ///< index among the nodes, or -1
  FixedSum* histogram;
  StagedCells const* staged;
  std::int64_t n_rows;  ///< used only if rows are counted
};

__device__ __forceinline__ SplitLimits LimitsOf(FindTask const& task, SearchedNode const& node, std::int64_t n_rows) {
  return {{task.limits.least_rows, n_rows}, {task.limits.draws, node.draw_key}};
}

/// The work of a warp.
struct WarpShare {
  std::uint32_t sibling;
  std::uint32_t of_block;  ///< index among the block's features
  std::uint32_t part;      ///< part of the feature's bins

  /// Returns the work of the calling warp. Warps that share the bins of a feature are neighbours.
  template <typename Shape>
  __device__ static WarpShare Own() {
    std::uint32_t const warp = threadIdx.x / 32;
    std::uint32_t const of_both = warp / Shape::kParts;
    return {of_both / Shape::kFeatures, of_both % Shape::kFeatures, warp % Shape::kParts};
  }
};

/// Memory through which the warps of a block exchange results about a feature's bins.
template <bool kLimited>
struct OfWarps {
  std::conditional_t<kLimited, Stretch, WarpBins> bins[kWarps];
  BinCandidate best[kWarps];
};

/// Returns whether a sibling's splits at a feature are searched on the device.
__device__ __forceinline__ bool IsSearched(FindTask const& task, std::int32_t index, std::uint32_t place) {
  if (index < 0 || place == kNoPlace || !MayUse(task, task.nodes[index], place)) return false;
  return task.is_categorical == nullptr || task.is_categorical[task.tree_features.data()[place]] == 0;
}

/// Searches the bins of all warps of the block; scan is read if is_searched. All threads call it. Only the first of the
/// warps that share the bins of a feature returns the result.
template <typename Shape, typename Scan, typename Of>
__device__ __forceinline__ BinCandidate SearchParts(Scan const& scan, bool is_searched, std::uint32_t part,
                                                    Of* of_warps) {
  using Bins = std::remove_reference_t<decltype(*of_warps->bins)>;
  std::uint32_t const warp = threadIdx.x / 32;
  Bins own{};
  decltype(scan.Divide(&own)) bins{};
  if (is_searched) bins = scan.Divide(&own);
  if constexpr (Shape::kParts == 1) return is_searched ? WarpBest(scan.Search(bins, own)) : BinCandidate();
  if (Lane() == 0) of_warps->bins[warp] = own;
  __syncthreads();
  if (is_searched) {
    Bins const all = AddOtherParts(of_warps->bins + warp - part, part, Shape::kParts, &bins);
    BinCandidate const best = WarpBest(scan.Search(bins, all));
    if (Lane() == 0) of_warps->best[warp] = best;
  }
  __syncthreads();
  BinCandidate best;
  if (!is_searched || part != 0) return best;
  for (std::uint32_t other = 0; other < Shape::kParts; ++other) {
    BinCandidate const& theirs = of_warps->best[warp + other];
    best.Keep(theirs.loss_change, theirs.order, theirs.left);
  }
  return best;
}

/// Finds the best split at one feature for one node. All threads of the block call it; the result is valid in the first
/// of the warps that share the feature's bins.
template <typename Shape, bool kLimited>
__device__ __forceinline__ SplitCandidate FindAt(FindTask const& task, GainParam const& gain,
                                                 SearchedSibling const& sibling, std::uint32_t place,
                                                 std::uint32_t part, OfWarps<kLimited>* of_warps) {
  bool const is_searched = IsSearched(task, sibling.index, place);
  std::uint32_t const feature = task.tree_features.data()[is_searched ? place : 0];
  FeatureCodes const& codes = task.features[feature];
  FeatureSums const cells{sibling.histogram + codes.first_sum, codes.sum_stride};
  FeatureSums const counts = CountsOf(task, codes, sibling.histogram);
  SearchedNode const& node = task.nodes[is_searched ? sibling.index : 0];
  int const sign = task.signs == nullptr ? 0 : static_cast<int>(task.signs[feature]);
  AllBins const bins{codes, cells, sibling.staged, BinsOfPart(codes.n_bins, part, Shape::kParts)};
  FeatureScan<AllBins> const scan{task, gain, codes, node, sign, AddCost(node.gain, task.costs, feature), bins};
  BinCandidate best;
  if constexpr (kLimited) {
    LimitedScan const limited{scan, feature, LimitsOf(task, node, sibling.n_rows), counts};
    best = SearchParts<Shape>(limited, is_searched, part, of_warps);
  } else {
    best = SearchParts<Shape>(scan, is_searched, part, of_warps);
  }
  if (best.order == BinCandidate::kNone) return {};
  return {best.loss_change,
          feature,
          ThresholdOf(task, feature, best.order, task.limits.least_rows > 1 ? counts : cells),
          best.order >= BinCandidate::kDown,
          best.left,
          node.sum - best.left};
}

/// A split and the noise added to its gain.
struct NoisySplit {
  SplitCandidate split;
  double noise = 0.0;
};

/// Adds the noise to a split of a node and drops the split if it is not admitted. Without noise every split competes.
template <bool kNoisy>
__device__ __forceinline__ NoisySplit Compete(FindTask const& task, std::int32_t node, SplitCandidate const& split) {
  NoisySplit found{split};
  if constexpr (kNoisy) {
    if (!found.split.IsValid()) return found;
    GainNoise const noise = task.noise.Of(node);
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

/// Splits that the warps of a block found at its features: for the smaller sibling, and for the larger one.
template <typename Shape>
using FoundSplits = NoisySplit[kSiblings][Shape::kFeatures];

/// Number of rows of the smaller sibling, and of both.
struct PairRows {
  std::int64_t small = 0;
  std::int64_t both = 0;
};

__device__ __forceinline__ PairRows RowsOf(FindTask const& task, std::uint32_t index) {
  if (task.limits.least_rows <= 1) return {};
  HistogramNode const& node = task.limits.rows[index];
  return {NumRowsOf(node, task.limits.n_left), node.rows.count};
}

/// Returns the sibling that a warp searches.
template <typename Shape>
__device__ __forceinline__ SearchedSibling SiblingOf(SearchedPair const& pair, PairRows const& rows,
                                                     WarpShare const& own, SharedCells<Shape> const& shared) {
  if (own.sibling == 0) return {pair.small_node, pair.small, &shared.small[own.of_block], rows.small};
  return {pair.large_node, pair.large, &shared.large[own.of_block], rows.both - rows.small};
}

/// Shared memory of a block.
template <typename Shape, bool kLimited>
struct BlockMemory {
  SharedCells<Shape>* cells;
  OfWarps<kLimited>* of_warps;
  FoundSplits<Shape>* found;
};

/// Searches the block's features from index `first` on. Called by all threads of a block.
template <typename Shape, bool kLimited, bool kNoisy>
__device__ __forceinline__ void FindInBlock(FindTask const& task, GainParam const& gain, SearchedPair const& pair,
                                            PairRows const& rows, std::uint32_t first,
                                            BlockMemory<Shape, kLimited> const& memory) {
  auto const own = WarpShare::Own<Shape>();
  std::uint32_t const place = PlaceAt(task, first + own.of_block);
  Stage(task, pair, first, memory.cells);
  if constexpr (kLimited) SubtractCounts<Shape>(task, pair, first);
  __syncthreads();
  if (place != kNoPlace && own.sibling == 0 && own.part == 0) {
    FeatureCodes const& codes = task.features[task.tree_features.data()[place]];
    if (codes.most_frequent != kNoMostFrequent) {
      FillMostFrequent(codes, pair, &memory.cells->small[own.of_block], &memory.cells->large[own.of_block]);
      if constexpr (kLimited) CountMostFrequent(task, codes, pair, rows.small);
    }
  }
  __syncthreads();
  auto const sibling = SiblingOf(pair, rows, own, *memory.cells);
  auto const split = FindAt<Shape>(task, gain, sibling, place, own.part, memory.of_warps);
  auto* const found = &(*memory.found)[own.sibling][own.of_block];
  if (own.part == 0 && Lane() == 0) *found = Compete<kNoisy>(task, sibling.index, split);
  __syncthreads();
}

/// blockIdx.x: some of the blocks of wide features; blockIdx.y: a pair. kLimited: task.limits are on. kNoisy:
/// task.noise is on.
template <typename Shape, bool kLimited, bool kNoisy>
__global__ void __launch_bounds__(kThreads) FindSplitsKernel(FindTask task, FeatureBlocks blocks) {
  extern __shared__ FixedSum shared_sums[];
  __shared__ OfWarps<kLimited> of_warps;
  __shared__ FoundSplits<Shape> found;
  BlockMemory<Shape, kLimited> const memory{reinterpret_cast<SharedCells<Shape>*>(shared_sums), &of_warps, &found};
  if (blockIdx.x == 0 && blockIdx.y == 0) CopyNumLeft(task, kThreads);
  std::uint32_t const stride = gridDim.x * Shape::kFeatures;
  for (std::uint32_t index = blockIdx.y; index < task.pairs.size(); index += gridDim.y) {
    SearchedPair const pair = task.pairs.data()[index];
    if (pair.small == nullptr) continue;
    GainParam const gain = task.GainOf(index);
    PairRows const rows = kLimited ? RowsOf(task, index) : PairRows{};
    std::int32_t const node = threadIdx.x == 0 ? pair.small_node : threadIdx.x == 32 ? pair.large_node : -1;
    NoisySplit best;
    for (auto first = blockIdx.x * Shape::kFeatures; first < NumWide(task); first += stride) {
      FindInBlock<Shape, kLimited, kNoisy>(task, gain, pair, rows, first, memory);
      if (node < 0) continue;
      for (auto const& candidate : found[threadIdx.x / 32]) KeepBetter<kNoisy>(candidate, &best);
    }
    if (node >= 0) task.best[std::int64_t{node} * blocks.All() + blocks.narrow + blockIdx.x] = best.split;
  }
}

using Kernel = void (*)(FindTask, FeatureBlocks);

template <typename Shape>
Kernel KernelFor(FindTask const& task) {
  if (task.limits.IsOn()) {
    return task.noise.IsOn() ? FindSplitsKernel<Shape, true, true> : FindSplitsKernel<Shape, true, false>;
  }
  return task.noise.IsOn() ? FindSplitsKernel<Shape, false, true> : FindSplitsKernel<Shape, false, false>;
}

std::size_t BlocksFor(std::size_t n_features, std::size_t per_block) {
  return (n_features + per_block - 1) / per_block;
}

/// Returns whether the blocks of FewPairs all run at the same time: two on each multiprocessor of a large device.
bool AreFew(FindTask const& task, std::size_t n_pairs) {
  constexpr std::size_t kAtOnce = 256;
  return n_pairs * BlocksFor(NumWide(task), FewPairs::kFeatures) <= kAtOnce;
}

template <typename Shape>
void Find(CudaContext const& cuda, FindTask const& task, FeatureBlocks const& blocks, unsigned n_pairs) {
  LaunchSharedGrid(cuda, {blocks.wide, n_pairs}, kThreads, sizeof(SharedCells<Shape>), KernelFor<Shape>(task), task,
                   blocks);
}

}  // namespace

FeatureBlocks NumFeatureBlocks(FindTask const& task, std::size_t n_pairs) {
  // Enough blocks to fill a device several times over. The host reads one answer per block, so more blocks cost host
  // time.
  constexpr std::size_t kManyBlocks = 1024;
  constexpr std::size_t kManyPairs = 256;  // they fill a device by themselves
  auto const share = n_pairs >= kManyPairs ? 1 : kManyBlocks / std::max<std::size_t>(1, n_pairs);
  auto const of = [&](std::size_t n_features, std::size_t per_block) {
    return static_cast<std::uint32_t>(std::min(BlocksFor(n_features, per_block), share));
  };
  auto const n_narrow = HasNarrow(task) ? task.by_width.narrow.size() : 0;
  auto const of_block = AreFew(task, n_pairs) ? FewPairs::kFeatures : ManyPairs::kFeatures;
  return {of(n_narrow, kNarrowPerBlock), of(NumWide(task), of_block)};
}

void FindSplits(CudaContext const& cuda, FindTask const& task) {
  auto const blocks = NumFeatureBlocks(task, task.pairs.size());
  auto const n_pairs = static_cast<unsigned>(std::min<std::size_t>(task.pairs.size(), kMaxGridY));
  if (blocks.narrow > 0) FindNarrowSplits(cuda, task, blocks, n_pairs);
  auto* const find = AreFew(task, task.pairs.size()) ? Find<FewPairs> : Find<ManyPairs>;
  find(cuda, task, blocks, n_pairs);
}

}  // namespace kauri::cuda
