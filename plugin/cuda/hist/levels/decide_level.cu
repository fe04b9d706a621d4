#include <cuda_runtime.h>

#include <cstdint>
#include <cub/block/block_scan.cuh>

#include "cuda/common/launch.h"
#include "cuda/hist/bins/warp_search.cuh"
#include "cuda/hist/levels/decide_level.h"
#include "cuda/hist/levels/level_rows.h"
#include "tree/split_rules.h"

namespace kauri::cuda {
namespace {

/// Returns where the rows of a node are, once the rows of its level have been moved. place: not a root's.
__device__ __forceinline__ RowStretch MovedRows(LevelRows const& rows, LevelPlace const& level, std::uint32_t place) {
  std::uint32_t const parent = level.ParentOf(place);
  NodeSplit const& split = rows.splits[parent];
  std::uint32_t const n_left = rows.n_left[2 * parent];
  return level.IsLeft(place) ? split.rows.Left(n_left) : split.rows.Right(n_left);
}

/// Begins the tree with this index, whose root has the rows `own`. histogram: receives their sum.
__device__ __forceinline__ void BeginRoot(LevelRows const& rows, std::uint32_t tree, RowStretch own,
                                          FixedSum* histogram) {
  rows.nodes[tree] = own;
  rows.added[tree] = {own, -1, 0, histogram};
}

/// index: place of the node in its level. histogram: receives the sum of the rows of one of its children.
__device__ __forceinline__ void FollowNode(LevelRows const& rows, LevelPlace const& level, std::uint32_t index,
                                           NodeDecision const& decision, FixedSum* histogram) {
  std::uint32_t const place = level.FirstNode() + index;
  RowStretch const own = level.depth == 0 ? rows.nodes[index] : MovedRows(rows, level, place);
  rows.nodes[place] = own;
  NodeSplit split{};
  split.rows = own;
  if (!decision.Opens()) split.rows.count = 0;
  split.first_tile = (own.begin - rows.first_row) / rows.plan.RowsOfTile() + index;
  split.categories = kNoCategories;
  if (decision.Opens()) {
    split.place = rows.places[decision.feature];
    split.n_bins = rows.features[decision.feature].n_bins;
    split.first_right = decision.first_right;
    split.default_left = decision.default_left;
  }
  rows.splits[place] = split;
  rows.n_left[2 * place] = 0;
  rows.n_left[2 * place + 1] = 0;
  rows.added[level.PairBelow(place)] = {split.rows, decision.Opens() ? static_cast<std::int32_t>(index) : -1,
                                        decision.adds_left, histogram};
}

constexpr int kThreads = 128;

__global__ void BeginRowsKernel(LevelRows rows, RowStretch root, FixedSum* histogram) {
  BeginRoot(rows, 0, root, histogram);
}

__global__ void __launch_bounds__(kThreads) FollowKernel(FollowTask task, LevelPlace level) {
  std::uint32_t const index = blockIdx.x * kThreads + threadIdx.x;
  if (index >= level.NumNodes()) return;
  FollowNode(task.rows, level, index, task.decisions[index], task.sums + index * task.n_sums);
}

constexpr std::uint32_t kWarps = kThreads / 32;
constexpr unsigned kAllLanes = 0xFFFFFFFFU;

__device__ SearchedNode SearchedWith(FixedSum sum, GainParam const& gain) {
  return {sum, NodeGain(sum, gain, {}), {}, -1, 0};
}

__global__ void __launch_bounds__(kThreads) RootsKernel(__grid_constant__ DecideTask const task, RowStretch root) {
  std::uint32_t const tree = blockIdx.x * kThreads + threadIdx.x;
  if (tree >= task.below.n_trees) return;
  root.begin += tree * root.count;
  BeginRoot(task.rows, tree, root, task.histograms[tree]);
}

/// on_host: used if on_device is nullptr.
__global__ void __launch_bounds__(kThreads)
    BeginKernel(__grid_constant__ DecideTask const task, PairTotals const* on_device, PairTotals on_host) {
  std::uint32_t const tree = blockIdx.x * kThreads + threadIdx.x;
  if (tree >= task.below.n_trees) return;
  PairTotals const totals = on_device != nullptr ? on_device[tree] : on_host;
  task.totals[tree] = totals;
  task.searched[tree] = SearchedWith(totals.sum, WithUnit(task.gain, &totals));
  task.pairs[tree] = {task.histograms[tree], nullptr, totals.sum, static_cast<std::int32_t>(tree), -1};
}

/// Returns whether a node may be split. The root always may: if the host does not split it, its split is ignored.
__device__ __forceinline__ bool IsOpen(NodeDecision const* decisions, LevelPlace const& level, std::uint32_t place) {
  if (level.depth == 0) return true;
  NodeDecision const& parent = decisions[level.ParentOf(place)];
  return (level.IsLeft(place) ? parent.opens_left : parent.opens_right) != 0;
}

/// Returns the best of a node's candidates, each found among different features, to all lanes of the warp
/// (SplitCandidate::IsBetter).
__device__ __forceinline__ SplitCandidate BestOf(SplitCandidate const* candidates, std::uint32_t n) {
  double loss_change = 0.0;
  std::uint32_t feature = NodeDecision::kLeaf;
  std::uint32_t best = 0;
  auto const keep = [&](double other, std::uint32_t other_feature, std::uint32_t other_index) {
    if (other < loss_change || (other == loss_change && other_feature >= feature)) return;
    loss_change = other;
    feature = other_feature;
    best = other_index;
  };
  for (std::uint32_t i = threadIdx.x % 32; i < n; i += 32) keep(candidates[i].loss_change, candidates[i].feature, i);
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    double const other = __shfl_xor_sync(kAllLanes, loss_change, step);
    std::uint32_t const other_feature = __shfl_xor_sync(kAllLanes, feature, step);
    keep(other, other_feature, __shfl_xor_sync(kAllLanes, best, step));
  }
  return feature == NodeDecision::kLeaf ? SplitCandidate() : candidates[best];
}

/// Called by all lanes of a warp.
__device__ __forceinline__ NodeDecision DecisionOf(DecideTask const& task, GainParam const& gain,
                                                   SplitCandidate const& split, bool is_last) {
  if (!ReducesLoss(split) || static_cast<float>(split.loss_change) < task.gamma) return {};
  FeatureCodes const& codes = task.rows.features[split.feature];
  float const* const cuts = task.cut_values + codes.first_cut;
  auto const first_right =
      WarpSearch::FindFirst(0, codes.n_bins, [&](std::size_t cut) { return split.threshold < cuts[cut]; });
  NodeDecision made;
  made.feature = split.feature;
  made.first_right = static_cast<std::uint32_t>(first_right);
  made.default_left = split.default_left ? 1 : 0;
  if (is_last) return made;
  made.opens_left = IsEnoughForTwo(split.left, gain) ? 1 : 0;
  made.opens_right = IsEnoughForTwo(split.right, gain) ? 1 : 0;
  // If both children are wanted, the one that seems to have fewer rows is added up, and the other's sums are the
  // parent's minus it. A child that is wanted alone is added up itself if it is the lighter one.
  made.adds_left = split.left.hessian <= split.right.hessian ? 1 : 0;
  return made;
}

/// index: place of the parent in its level. parent: the parent's histogram.
__device__ __forceinline__ SearchedPair PairOf(SplitCandidate const& split, NodeDecision const& decision,
                                               std::uint32_t index, FixedSum* added, FixedSum* parent) {
  bool const adds_left = decision.adds_left != 0;
  auto const left = static_cast<std::int32_t>(2 * index);
  std::int32_t const left_node = decision.opens_left != 0 ? left : -1;
  std::int32_t const right_node = decision.opens_right != 0 ? left + 1 : -1;
  std::int32_t const large_node = adds_left ? right_node : left_node;
  return {decision.Opens() ? added : nullptr, large_node >= 0 ? parent : nullptr, adds_left ? split.left : split.right,
          adds_left ? left_node : right_node, large_node};
}

/// Returns the histogram of a node that was searched.
__device__ __forceinline__ FixedSum* HistogramOf(DecideTask const& task, LevelPlace const& level, std::uint32_t index) {
  if (level.depth == 0) return task.pairs[index].small;
  SearchedPair const& pair = task.pairs[level.FirstPair() + index / 2];
  return pair.large_node == static_cast<std::int32_t>(index) ? pair.large : pair.small;
}

/// Writes the request for the children in the next level. Called by one thread.
__device__ __forceinline__ void AskForChildren(DecideTask const& task, GainParam const& gain, LevelPlace const& level,
                                               std::uint32_t index, SplitCandidate const& split,
                                               NodeDecision const& decision) {
  std::uint32_t const place = level.FirstNode() + index;
  std::uint32_t const below = level.PairBelow(place);
  FixedSum* const added = task.histograms[below];
  FollowNode(task.rows, level, index, decision, added);
  FixedSum* const own = decision.Opens() ? HistogramOf(task, level, index) : nullptr;
  task.pairs[below] = PairOf(split, decision, index, added, own);
  if (decision.opens_left != 0) task.searched[level.LeftOf(place)] = SearchedWith(split.left, gain);
  if (decision.opens_right != 0) task.searched[level.RightOf(place)] = SearchedWith(split.right, gain);
}

__global__ void __launch_bounds__(kThreads) DecideKernel(__grid_constant__ DecideTask const task, LevelPlace level) {
  std::uint32_t const index = blockIdx.x * kWarps + threadIdx.x / 32;
  if (index >= level.NumNodes()) return;
  std::uint32_t const place = level.FirstNode() + index;
  bool const is_open = IsOpen(task.decisions, level, place);
  bool const is_last = level.depth + 1 == task.below.depth;
  SplitCandidate const split =
      is_open ? BestOf(task.best + static_cast<std::uint64_t>(index) * task.n_blocks, task.n_blocks) : SplitCandidate();
  GainParam const gain = WithUnit(task.gain, task.totals + index / level.NodesOfTree());
  NodeDecision const decision = DecisionOf(task, gain, split, is_last);
  if (threadIdx.x % 32 != 0) return;
  task.decisions[place] = decision;
  if (is_open) task.precomputed[place] = split;
  if (!is_last) AskForChildren(task, gain, level, index, split, decision);
}

constexpr int kNumberThreads = 1024;

/// Numbers of the nodes of a level and of the next one.
struct Numbers {
  std::int32_t* own;
  std::int32_t* next;
};

/// One block per tree. shared: two numbers for each node of the tree in the level below the last that is searched.
__global__ void __launch_bounds__(kNumberThreads)
    NumberKernel(__grid_constant__ DecideTask const task, WalkNode* walk) {
  using Scan = cub::BlockScan<std::int32_t, kNumberThreads>;
  extern __shared__ std::int32_t shared[];
  __shared__ typename Scan::TempStorage storage;
  LevelPlace const& below = task.below;
  Numbers numbers{shared, shared + below.NodesOfTree()};
  walk += blockIdx.x * NodesOfWalk(below);
  // Initialises all nodes as leaves, because the tree traversal copies every possible node.
  for (auto node = threadIdx.x; node < NodesOfWalk(below); node += kNumberThreads) walk[node] = WalkNode();
  if (threadIdx.x == 0) numbers.own[0] = 0;
  std::int32_t n_numbered = 1;
  for (LevelPlace level{0, below.n_trees}; level.depth < below.depth; ++level.depth) {
    __syncthreads();
    NodeDecision const* const decisions = task.decisions + level.FirstNode() + blockIdx.x * level.NodesOfTree();
    for (std::uint32_t first = 0; first < level.NodesOfTree(); first += kNumberThreads) {
      std::uint32_t const index = first + threadIdx.x;
      NodeDecision decision;
      if (index < level.NodesOfTree()) decision = decisions[index];
      bool const is_split = decision.feature != NodeDecision::kLeaf;
      std::int32_t before = 0;
      std::int32_t n_splits = 0;
      Scan(storage).ExclusiveSum(is_split ? 1 : 0, before, n_splits);
      if (is_split) {
        std::int32_t const left = n_numbered + 2 * before;
        numbers.next[2 * index] = left;
        numbers.next[2 * index + 1] = left + 1;
        walk[numbers.own[index]] = {left, decision.feature, decision.first_right,
                                    2 * task.rows.features[decision.feature].n_bins + decision.default_left};
      }
      n_numbered += 2 * n_splits;
      __syncthreads();  // for the storage, which the next turn overwrites
    }
    numbers = {numbers.next, numbers.own};
  }
}

}  // namespace

void BeginLevels(CudaContext const& cuda, LevelRows const& rows, RowStretch root, FixedSum* histogram) {
  Launch(cuda, 1, 1, BeginRowsKernel, rows, root, histogram);
}

void FollowLevel(CudaContext const& cuda, FollowTask const& task, int depth) {
  LevelPlace const level{depth};
  Launch(cuda, GridFor(level.NumNodes(), kThreads), kThreads, FollowKernel, task, level);
}

void BeginRoots(CudaContext const& cuda, DecideTask const& task, RowStretch root) {
  Launch(cuda, GridFor(task.below.n_trees, kThreads), kThreads, RootsKernel, task, root);
}

void BeginDecisions(CudaContext const& cuda, DecideTask const& task, TreeTotals const& totals) {
  auto const* const on_device = totals.OnDevice();
  Launch(cuda, GridFor(task.below.n_trees, kThreads), kThreads, BeginKernel, task, on_device,
         on_device != nullptr ? PairTotals() : totals.OnHost());
}

void DecideLevel(CudaContext const& cuda, DecideTask const& task, int depth) {
  LevelPlace const level{depth, task.below.n_trees};
  Launch(cuda, GridFor(level.NumNodes(), kWarps), kThreads, DecideKernel, task, level);
}

void NumberNodes(CudaContext const& cuda, DecideTask const& task, WalkNode* walk) {
  auto const bytes = 2 * std::size_t{task.below.NodesOfTree()} * sizeof(std::int32_t);
  LaunchShared(cuda, task.below.n_trees, kNumberThreads, bytes, NumberKernel, task, walk);
}

}  // namespace kauri::cuda
