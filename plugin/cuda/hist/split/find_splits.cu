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

/// One feature of one node, by a warp.
struct FeatureScan {
  FindTask const& task;
  FeatureCodes const& codes;
  SearchedNode const& node;
  int sign;

  __device__ void Consider(FixedSum left, std::uint32_t order, BinCandidate* best) const {
    FixedSum const right = node.sum - left;
    if (!HasEnoughHessian(left, task.gain) || !HasEnoughHessian(right, task.gain)) return;
    best->Keep(SplitGain(left, right, task.gain, node.bounds, sign) - node.gain, order, left);
  }

  /// The sum of the rows that miss the feature.
  __device__ FixedSum Missing(FixedSum const* cells) const {
    FixedSum present;
    for (std::uint32_t bin = Lane(); bin < codes.n_bins; bin += 32) present += cells[bin];
    return node.sum - WarpSum(present);
  }

  __device__ BinCandidate Find(FixedSum const* cells) const {
    FixedSum const missing = Missing(cells);
    bool const has_missing = !(missing == FixedSum{});
    BinCandidate best;
    FixedSum carry;
    bool seen = false;  // whether a bin before this turn's holds rows
    for (std::uint32_t first = 0; first < codes.n_bins; first += 32) {
      std::uint32_t const bin = first + Lane();
      bool const is_bin = bin < codes.n_bins;
      FixedSum const cell = is_bin ? cells[bin] : FixedSum{};
      bool const holds_rows = !(cell == FixedSum{});
      unsigned const holding = __ballot_sync(kAllLanes, holds_rows);
      FixedSum const inclusive = InclusiveScan(cell);
      FixedSum const up_to = carry + inclusive;
      bool const is_first = !seen && (holding & ((1U << Lane()) - 1U)) == 0;
      if (is_bin && isfinite(task.cut_values[codes.first_cut + bin])) Consider(up_to, BinCandidate::Up(bin), &best);
      if (has_missing && holds_rows) {
        FixedSum const before = up_to - cell + missing;
        if (!is_first) Consider(before, BinCandidate::Down(bin), &best);
        if (is_first && sign != 0) Consider(missing, BinCandidate::kAlone, &best);
      }
      carry += LastLane(inclusive);
      seen = seen || holding != 0;
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

__device__ __forceinline__ void Subtract(FeatureCodes const& codes, FixedSum const* small, FixedSum* large) {
  for (std::uint32_t code = Lane(); code < codes.n_codes; code += 32) large[code] = large[code] - small[code];
  __syncwarp();
}

__device__ __forceinline__ bool MayUse(FindTask const& task, SearchedNode const& node, std::uint32_t place) {
  auto const n_features = static_cast<std::int64_t>(task.tree_features.size());
  return node.allowed < 0 || task.allowed[node.allowed * n_features + place] != 0;
}

/// The best of the block's features for one node of a pair; all threads call it. found: [kFeaturesPerBlock], shared.
__device__ __forceinline__ void FindInBlock(FindTask const& task, std::int32_t index, FixedSum const* histogram,
                                            std::uint32_t place, SplitCandidate* found) {
  SearchedNode const& node = task.nodes[index];
  std::uint32_t const warp = threadIdx.x / 32;
  bool const is_there = place < task.tree_features.size();
  std::uint32_t const feature = is_there ? task.tree_features.data()[place] : 0;
  bool const is_numerical = task.is_categorical == nullptr || task.is_categorical[feature] == 0;
  SplitCandidate candidate;
  if (is_there && is_numerical && MayUse(task, node, place)) {
    FeatureCodes const& codes = task.features[feature];
    FixedSum const* const cells = histogram + codes.first_cell;
    FeatureScan const scan{task, codes, node, task.signs == nullptr ? 0 : static_cast<int>(task.signs[feature])};
    BinCandidate const best = WarpBest(scan.Find(cells));
    if (best.order != BinCandidate::kNone && Lane() == 0) {
      bool const default_left = best.order >= BinCandidate::kDown;
      candidate = {best.loss_change, feature,   ThresholdOf(task, feature, best.order, cells),
                   default_left,     best.left, node.sum - best.left};
    }
  }
  if (Lane() == 0) found[warp] = candidate;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (std::uint32_t other = 1; other < kFeaturesPerBlock; ++other) {
      if (IsBetter(found[other], found[0])) found[0] = found[other];
    }
    task.best[static_cast<std::int64_t>(index) * gridDim.x + blockIdx.x] = found[0];
  }
  __syncthreads();
}

/// blockIdx.x: a block of features; blockIdx.y: a pair.
__global__ void __launch_bounds__(kThreads) FindSplitsKernel(FindTask task) {
  __shared__ SplitCandidate found[kFeaturesPerBlock];
  std::uint32_t const place = blockIdx.x * kFeaturesPerBlock + threadIdx.x / 32;
  if (blockIdx.x == 0 && blockIdx.y == 0) {
    for (auto i = threadIdx.x; i < task.n_left.size(); i += kThreads) task.n_left_out[i] = task.n_left.data()[i];
  }
  for (std::uint32_t index = blockIdx.y; index < task.pairs.size(); index += gridDim.y) {
    SearchedPair const pair = task.pairs.data()[index];
    if (place < task.tree_features.size()) {
      FeatureCodes const& codes = task.features[task.tree_features.data()[place]];
      if (codes.usual != kNoUsual) FillUsual(codes, pair.small_sum, pair.small + codes.first_cell);
      if (pair.large != nullptr) Subtract(codes, pair.small + codes.first_cell, pair.large + codes.first_cell);
    }
    if (pair.small_node >= 0) FindInBlock(task, pair.small_node, pair.small, place, found);
    if (pair.large_node >= 0) FindInBlock(task, pair.large_node, pair.large, place, found);
  }
}

}  // namespace

void FindSplits(CudaContext const& cuda, FindTask const& task) {
  dim3 const grid(NumFeatureBlocks(task.tree_features.size()),
                  static_cast<unsigned>(std::min<std::size_t>(task.pairs.size(), kMaxGridY)));
  LaunchGrid(cuda, grid, kThreads, FindSplitsKernel, task);
}

}  // namespace kauri::cuda
