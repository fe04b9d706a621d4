#include <algorithm>

#include "cuda/common/launch.h"
#include "cuda/hist_vector/scan_splits.cuh"
#include "cuda/hist_vector/scan_splits.h"
#include "kauri/error.h"

namespace kauri::cuda {
namespace {

constexpr std::size_t kMaxBlocks = std::size_t{1} << 24U;

/// A range of adjacent sums.
struct SumPiece {
  std::uint64_t begin;
  std::uint64_t size;
};

__device__ __forceinline__ SumPiece PieceOf(FeatureCodes const& codes, std::uint32_t n_sums) {
  return {static_cast<std::uint64_t>(codes.first_cell) * n_sums, static_cast<std::uint64_t>(codes.n_codes) * n_sums};
}

/// Computes the most frequent bin (`most_frequent`) of a feature in a bundle. total: [n_sums], sums of the node.
__device__ __forceinline__ void FillMostFrequent(FeatureCodes const& codes, std::int64_t const* total,
                                                 std::uint32_t n_sums, std::int64_t* histogram) {
  std::int64_t* const cells = histogram + PieceOf(codes, n_sums).begin;
  for (std::uint32_t place = threadIdx.x; place < n_sums; place += kScanThreads) {
    std::int64_t most_frequent = total[place];
    for (std::uint32_t code = 0; code < codes.n_codes; ++code) {
      if (code != codes.most_frequent) most_frequent -= cells[static_cast<std::uint64_t>(code) * n_sums + place];
    }
    cells[static_cast<std::uint64_t>(codes.most_frequent) * n_sums + place] = most_frequent;
  }
  __syncthreads();
}

__device__ __forceinline__ void Subtract(SumPiece piece, std::int64_t const* small, std::int64_t* large) {
  for (std::uint64_t i = piece.begin + threadIdx.x; i < piece.begin + piece.size; i += kScanThreads) {
    large[i] -= small[i];
  }
  __syncthreads();
}

__device__ __forceinline__ bool MayUse(ScanTask const& task, ScannedNode const& node, std::uint32_t place) {
  auto const n_features = static_cast<std::int64_t>(task.tree_features.size());
  return node.allowed < 0 || task.allowed[node.allowed * n_features + place] != 0;
}

/// Adds noise to the gain of a split. If noise is on, a split that would not be made is dropped, so that it does not
/// compete.
__device__ __forceinline__ void AddNoise(ScanTask const& task, ScannedNode const& node, std::uint32_t feature,
                                         FoundSplit* found) {
  if (!task.noise.IsOn() || !(found->loss_change > 0.0)) return;
  GainNoise const noise{task.noise.deviation, node.noise_key, task.noise.least};
  if (noise.Admits(found->loss_change)) {
    found->noise = noise.Of(feature);
  } else {
    *found = {};
  }
}

/// Finds the split of one node at the feature at `place`. Called by all threads.
__device__ __forceinline__ void FindInNode(ScanTask const& task, std::int32_t index, std::uint32_t place,
                                           ScanShared* shared, std::int64_t* sums) {
  ScannedNode const& node = task.nodes.data()[index];
  if (node.is_open == 0) return;
  std::uint32_t const feature = task.tree_features.data()[place];
  bool const is_numerical = task.is_categorical == nullptr || task.is_categorical[feature] == 0;
  FoundSplit found{};
  if (is_numerical && MayUse(task, node, place)) {
    VectorFeatureScan scan(task, feature, index, shared, sums);
    OrderedSplit best;
    scan.Find(&best);
    if (threadIdx.x == 0) {
      found = scan.Describe(best);
      AddNoise(task, node, feature, &found);
    }
  }
  if (threadIdx.x == 0) task.found[index * static_cast<std::int64_t>(task.tree_features.size()) + place] = found;
}

/// blockIdx.x: pairs, and features within them.
__global__ void __launch_bounds__(kScanThreads) ScanSplitsKernel(ScanTask task) {
  extern __shared__ std::int64_t sums[];
  __shared__ ScanShared shared;
  auto const n_features = static_cast<std::uint32_t>(task.tree_features.size());
  std::uint32_t const place = blockIdx.x % n_features;
  FeatureCodes const& codes = task.features[task.tree_features.data()[place]];
  for (std::uint32_t i = blockIdx.x / n_features; i < task.pairs.size(); i += gridDim.x / n_features) {
    ScannedPair const pair = task.pairs.data()[i];
    std::int64_t* const small = task.nodes.data()[pair.small].histogram;
    if (codes.most_frequent != kNoMostFrequent) {
      FillMostFrequent(codes, task.node_sums + static_cast<std::int64_t>(pair.small) * task.n_sums, task.n_sums, small);
    }
    if (pair.large >= 0) Subtract(PieceOf(codes, task.n_sums), small, task.nodes.data()[pair.large].histogram);
    FindInNode(task, pair.small, place, &shared, sums);
    if (pair.large >= 0) FindInNode(task, pair.large, place, &shared, sums);
  }
}

/// Compares two features' splits; the first feature wins among equals, because features ascend.
__device__ __forceinline__ bool IsBetterAt(FoundSplit const* found, std::uint32_t a, std::uint32_t b) {
  double const loss_a = found[a].loss_change;
  double const loss_b = found[b].loss_change;
  bool const is_there = loss_a > 0.0;
  if (is_there != (loss_b > 0.0)) return is_there;
  double const noisy_a = loss_a + found[a].noise;
  double const noisy_b = loss_b + found[b].noise;
  if (noisy_a != noisy_b) return noisy_a > noisy_b;
  return loss_a > loss_b || (loss_a == loss_b && a < b);
}

/// Returns the place of the best feature of a node. best_of: [kScanThreads], shared.
__device__ __forceinline__ std::uint32_t FindBest(FoundSplit const* found, std::uint32_t n, std::uint32_t* best_of) {
  std::uint32_t best = min(threadIdx.x, n - 1);
  for (std::uint32_t place = threadIdx.x; place < n; place += kScanThreads) {
    if (IsBetterAt(found, place, best)) best = place;
  }
  best_of[threadIdx.x] = best;
  __syncthreads();
  for (std::uint32_t half = kScanThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half && IsBetterAt(found, best_of[threadIdx.x + half], best_of[threadIdx.x])) {
      best_of[threadIdx.x] = best_of[threadIdx.x + half];
    }
    __syncthreads();
  }
  return best_of[0];
}

/// Writes the sums that go left at a split. of_side: [n_sums], shared.
__device__ __forceinline__ void WriteLeft(ScanTask const& task, std::uint32_t index, FeatureCodes const& codes,
                                          FoundSplit const& split, unsigned long long* of_side) {
  for (std::uint32_t place = threadIdx.x; place < task.n_sums; place += kScanThreads) of_side[place] = 0;
  __syncthreads();
  bool const is_right = split.default_left != 0;  // missing values have no bin, so the other side is summed
  std::uint32_t const end = is_right ? codes.n_bins : split.first_right;
  std::int64_t const* const cells = task.nodes.data()[index].histogram + PieceOf(codes, task.n_sums).begin;
  for (std::uint32_t from = 0; from < task.n_sums; from += 32) {
    std::uint32_t const place = from + ScanLane();
    if (place >= task.n_sums) break;
    std::int64_t sum = 0;
#pragma unroll 8
    for (std::uint32_t bin = (is_right ? split.first_right : 0) + ScanWarp(); bin < end; bin += kScanWarps) {
      sum += cells[static_cast<std::uint64_t>(bin) * task.n_sums + place];
    }
    atomicAdd(of_side + place, static_cast<unsigned long long>(sum));
  }
  __syncthreads();
  std::int64_t const first = static_cast<std::int64_t>(index) * task.n_sums;
  for (std::uint32_t place = threadIdx.x; place < task.n_sums; place += kScanThreads) {
    auto const sum = static_cast<std::int64_t>(of_side[place]);
    task.left[first + place] = is_right ? task.node_sums[first + place] - sum : sum;
  }
}

/// blockIdx.x: index of the node.
__global__ void __launch_bounds__(kScanThreads) ChooseSplitKernel(ScanTask task) {
  extern __shared__ unsigned long long of_side[];
  __shared__ std::uint32_t best_of[kScanThreads];
  std::uint32_t const index = blockIdx.x;
  if (task.nodes.data()[index].is_open == 0) return;
  auto const n_features = static_cast<std::uint32_t>(task.tree_features.size());
  FoundSplit const* const found = task.found + static_cast<std::int64_t>(index) * n_features;
  std::uint32_t const place = FindBest(found, n_features, best_of);
  FoundSplit const split = found[place];
  SplitCandidate best;
  if (split.loss_change > 0.0) {
    best.loss_change = split.loss_change;
    best.feature = task.tree_features.data()[place];
    best.threshold = split.threshold;
    best.default_left = split.default_left != 0;
    WriteLeft(task, index, task.features[best.feature], split, of_side);
  }
  if (threadIdx.x == 0) task.best[index] = best;
}

}  // namespace

void RequireRoomToScan(CudaContext const& cuda, std::int64_t n_outputs, std::int64_t n_sums) {
  int bytes = 0;
  KAURI_CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda.device));
  auto const most = (static_cast<std::size_t>(bytes) - sizeof(ScanShared)) / ScanBytes(1);
  if (ToSize(n_sums) <= most) return;
  Fail(ErrorKind::kParameter, "tree_method=hist with device=cuda supports vector leaves with at most ", most,
       " gradients and hessians per row; ", n_outputs, " outputs have ", n_sums,
       ". Use device=cpu, or multi_strategy=one_output_per_tree.");
}

void ScanSplits(CudaContext const& cuda, ScanTask const& task) {
  auto const n_features = task.tree_features.size();
  if (n_features == 0) return;
  auto const n_pairs = std::clamp<std::size_t>(kMaxBlocks / n_features, 1, task.pairs.size());
  LaunchShared(cuda, static_cast<unsigned>(n_features * n_pairs), kScanThreads, ScanBytes(task.n_sums),
               ScanSplitsKernel, task);
  LaunchShared(cuda, static_cast<unsigned>(task.nodes.size()), kScanThreads, task.n_sums * sizeof(std::int64_t),
               ChooseSplitKernel, task);
}

}  // namespace kauri::cuda
