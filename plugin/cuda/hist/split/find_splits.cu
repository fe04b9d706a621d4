#include "cuda/common/launch.h"
#include "cuda/hist/split/find_splits.h"

namespace kauri::cuda {
namespace {

constexpr int kThreads = 32 * static_cast<int>(kFeaturesPerBlock);
constexpr unsigned kAllLanes = 0xFFFFFFFFU;
constexpr unsigned kMaxGridY = 65535;

__device__ __forceinline__ std::uint32_t Lane() { return threadIdx.x % 32; }

__device__ __forceinline__ FixedSum WarpSum(FixedSum sum) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    sum.gradient += __shfl_xor_sync(kAllLanes, sum.gradient, step);
    sum.hessian += __shfl_xor_sync(kAllLanes, sum.hessian, step);
  }
  return sum;
}

__device__ __forceinline__ FixedSum InclusiveScan(FixedSum sum) {
#pragma unroll
  for (unsigned step = 1; step < 32; step *= 2) {
    std::int64_t const gradient = __shfl_up_sync(kAllLanes, sum.gradient, step);
    std::int64_t const hessian = __shfl_up_sync(kAllLanes, sum.hessian, step);
    if (Lane() >= step) sum += FixedSum{gradient, hessian};
  }
  return sum;
}

__device__ __forceinline__ FixedSum LastLane(FixedSum sum) {
  return {__shfl_sync(kAllLanes, sum.gradient, 31), __shfl_sync(kAllLanes, sum.hessian, 31)};
}

/// What a lane, and then a warp, found in one feature.
struct BinCandidate {
  double loss_change = 0.0;
  std::uint32_t order = kNone;  ///< which of equal losses: the least
  FixedSum left;

  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  static constexpr std::uint32_t kDown = 0x80000000U;
  /// All present rows go right: the last of equals.
  static constexpr std::uint32_t kAlone = kNone - 1;

  /// The missing go right: the lowest threshold first.
  __device__ static std::uint32_t Up(std::uint32_t bin) { return bin; }
  /// The missing go left, the first bin on the right is `bin`: the highest threshold first.
  __device__ static std::uint32_t Down(std::uint32_t bin) { return kDown + (0x7FFFFF00U - bin); }
  __device__ static std::uint32_t BinOfDown(std::uint32_t order) { return 0x7FFFFF00U - (order - kDown); }

  __device__ void Keep(double loss, std::uint32_t other_order, FixedSum other_left) {
    if (!(loss > loss_change) && !(loss == loss_change && other_order < order && order != kNone)) return;
    loss_change = loss;
    order = other_order;
    left = other_left;
  }
};

/// Cells of one feature that a warp reads again and again: in shared memory where they are few. Every eighth is
/// followed by a gap, so that lanes that are eight cells apart are at different banks.
constexpr std::uint32_t kStagedCells = 256;
struct StagedCells {
  FixedSum cells[kStagedCells + kStagedCells / 8];

  __device__ static std::uint32_t Place(std::uint32_t bin) { return bin + bin / 8; }
};

/// One feature of one node, by a warp: each lane has some consecutive bins.
struct FeatureScan {
  FindTask const& task;
  FeatureCodes const& codes;
  SearchedNode const& node;
  int sign;
  FixedSum const* global;
  StagedCells const* staged;  ///< the same, unless they are too many

  __device__ FixedSum Cell(std::uint32_t bin) const {
    return codes.n_bins <= kStagedCells ? staged->cells[StagedCells::Place(bin)] : global[bin];
  }

  __device__ void Consider(FixedSum left, std::uint32_t order, BinCandidate* best) const {
    FixedSum const right = node.sum - left;
    if (!HasEnoughHessian(left, task.gain) || !HasEnoughHessian(right, task.gain)) return;
    best->Keep(SplitGain(left, right, task.gain, node.bounds, sign) - node.gain, order, left);
  }

  __device__ BinCandidate Find() const {
    std::uint32_t const per_lane = (codes.n_bins + 31) / 32;
    std::uint32_t const begin = min(Lane() * per_lane, codes.n_bins);
    std::uint32_t const end = min(begin + per_lane, codes.n_bins);
    FixedSum own;
    bool holds_rows = false;
    for (std::uint32_t bin = begin; bin < end; ++bin) {
      FixedSum const cell = Cell(bin);
      own += cell;
      holds_rows = holds_rows || !(cell == FixedSum{});
    }
    bool seen = (__ballot_sync(kAllLanes, holds_rows) & ((1U << Lane()) - 1U)) != 0;  // whether a bin before holds rows
    FixedSum const inclusive = InclusiveScan(own);
    FixedSum const missing = codes.may_miss != 0 ? node.sum - LastLane(inclusive) : FixedSum{};
    bool const has_missing = !(missing == FixedSum{});
    FixedSum up_to = inclusive - own;
    BinCandidate best;
    for (std::uint32_t bin = begin; bin < end; ++bin) {
      FixedSum const cell = Cell(bin);
      bool const is_empty = cell == FixedSum{};
      if (has_missing && !is_empty) {
        if (seen) Consider(up_to + missing, BinCandidate::Down(bin), &best);
        if (!seen && sign != 0) Consider(missing, BinCandidate::kAlone, &best);
      }
      seen = seen || !is_empty;
      up_to += cell;
      if (!is_empty && isfinite(task.cut_values[codes.first_cut + bin])) {
        Consider(up_to, BinCandidate::Up(bin), &best);
      }
    }
    return best;
  }
};

/// The better of two features' or lanes' bests; a total order within a feature.
__device__ __forceinline__ BinCandidate WarpBest(BinCandidate own) {
  double most = own.loss_change;
  std::uint32_t order = own.order;
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    double const other = __shfl_xor_sync(kAllLanes, most, step);
    std::uint32_t const other_order = __shfl_xor_sync(kAllLanes, order, step);
    if (other > most || (other == most && other_order < order)) {
      most = other;
      order = other_order;
    }
  }
  // Orders differ from lane to lane, but for the lanes that found nothing.
  int const winner = __ffs(static_cast<int>(__ballot_sync(kAllLanes, own.order == order))) - 1;
  FixedSum const left{__shfl_sync(kAllLanes, own.left.gradient, winner),
                      __shfl_sync(kAllLanes, own.left.hessian, winner)};
  return {most, order, left};
}

__device__ __forceinline__ float ThresholdOf(FindTask const& task, std::uint32_t feature, std::uint32_t order,
                                             FixedSum const* cells) {
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
__device__ __forceinline__ void FillUsual(FeatureCodes const& codes, FixedSum total, FixedSum* cells) {
  FixedSum others;
  for (std::uint32_t code = Lane(); code < codes.n_codes; code += 32) {
    if (code != codes.usual) others += cells[code];
  }
  others = WarpSum(others);
  if (Lane() == 0) cells[codes.usual] = total - others;
  __syncwarp();
}

/// Copies the cells of a feature to where the warp reads them; of the larger sibling they are made first: the parent's
/// less those of the smaller.
__device__ __forceinline__ void Stage(FeatureCodes const& codes, FixedSum const* small, FixedSum* large,
                                      StagedCells* staged) {
  __syncwarp();
  for (std::uint32_t code = Lane(); code < codes.n_codes; code += 32) {
    FixedSum cell = small[code];
    if (large != nullptr) large[code] = cell = large[code] - cell;
    if (code < kStagedCells) staged->cells[StagedCells::Place(code)] = cell;
  }
  __syncwarp();
}

__device__ __forceinline__ bool MayUse(FindTask const& task, SearchedNode const& node, std::uint32_t place) {
  auto const n_features = static_cast<std::int64_t>(task.tree_features.size());
  return node.allowed < 0 || task.allowed[node.allowed * n_features + place] != 0;
}

/// What a warp finds at one feature for one node; only the first lane's counts.
__device__ __forceinline__ SplitCandidate FindAt(FindTask const& task, std::int32_t index, std::uint32_t place,
                                                 FixedSum const* histogram, StagedCells const* staged) {
  if (index < 0 || !MayUse(task, task.nodes[index], place)) return {};
  std::uint32_t const feature = task.tree_features.data()[place];
  if (task.is_categorical != nullptr && task.is_categorical[feature] != 0) return {};
  FeatureCodes const& codes = task.features[feature];
  FixedSum const* const cells = histogram + codes.first_cell;
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
      FixedSum* const small_cells = pair.small + codes.first_cell;
      if (codes.usual != kNoUsual) FillUsual(codes, pair.small_sum, small_cells);
      if (pair.small_node >= 0) {
        Stage(codes, small_cells, nullptr, &staged[warp]);
        small = FindAt(task, pair.small_node, place, pair.small, &staged[warp]);
      }
      if (pair.large != nullptr) {
        Stage(codes, small_cells, pair.large + codes.first_cell, &staged[warp]);
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
