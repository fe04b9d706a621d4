#include <cooperative_groups.h>

#include <algorithm>

#include "cuda/common/launch.h"
#include "cuda/hist/few_rows/grow_few_rows.cuh"
#include "cuda/hist/few_rows/grow_few_rows.h"
#include "tree/split_rules.h"

namespace kauri::cuda {
namespace {

/// Returns the maximum number of codes of a feature, or 0 if the rows or columns do not support this method.
std::uint32_t MostCodesOfFewRows(DeviceBins const& bins) {
  if (bins.n_rows > kMostFewRows || bins.form != CodeForm::kBytes) return 0;
  std::uint32_t most = 1;
  for (std::uint32_t feature = 0; feature < bins.features.size(); ++feature) {
    if (bins.cuts->IsCategorical(feature)) return 0;
    most = std::max(most, bins.features[feature].n_codes);
  }
  return most;
}

namespace cg = cooperative_groups;
using namespace few_rows;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
/// Copies the best split of each node over all blocks. A warp handles one node at a time.
__device__ void ChooseSplits(cg::cluster_group const& cluster, FoundSplit* best, LevelSplit* chosen,
                             std::uint32_t n_nodes) {
  constexpr std::uint32_t kWords = sizeof(FoundSplit) / sizeof(std::uint32_t);
  static_assert(kWords <= 32, "a lane copies a word");
  std::uint32_t const lane = threadIdx.x % 32;
  for (auto node = threadIdx.x / 32; node < n_nodes; node += kFewRowsWarps) {
    double loss_change = 0.0;
    std::uint32_t feature = kNoFeature;
    std::uint32_t rank = 0;
    if (lane < cluster.num_blocks()) {
      rank = lane;
      FewRowsSplit const& theirs = cluster.map_shared_rank(best, rank)[node].split;
      loss_change = theirs.loss_change;
      feature = theirs.feature;
    }
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
      double const other = __shfl_xor_sync(bin_scan::kAllLanes, loss_change, step);
      std::uint32_t const other_feature = __shfl_xor_sync(bin_scan::kAllLanes, feature, step);
      std::uint32_t const other_rank = __shfl_xor_sync(bin_scan::kAllLanes, rank, step);
      if (other > loss_change || (other == loss_change && other_feature < feature)) {
        loss_change = other;
        feature = other_feature;
        rank = other_rank;
      }
    }
    rank = __shfl_sync(bin_scan::kAllLanes, rank, 0);
    auto const* const from = reinterpret_cast<std::uint32_t const*>(cluster.map_shared_rank(best, rank) + node);
    auto* const to = reinterpret_cast<std::uint32_t*>(&chosen[node].found);
    if (lane < kWords) to[lane] = from[lane];
  }
}

/// Returns whether the host may make a split (HistGrowth::IsWorthSplitting).
__device__ bool IsWorthSplitting(FewRowsSplit const& split, float gamma) {
  auto const loss_change = static_cast<float>(split.loss_change);
  return split.feature != kNoFeature && loss_change > kMinLossChange && loss_change >= gamma;
}

struct Level {
  LevelNode* nodes;
  LevelNode* next;
  FoundSplit* best;
  std::uint32_t n_nodes;
};

/// Makes the nodes of the next level, and decides how rows get there. Called by the first warp. Returns the number of
/// nodes.
__device__ std::uint32_t MakeChildren(GainParam const& gain, float gamma, Level const& level, LevelSplit* splits,
                                      bool is_last) {
  std::uint32_t const below = (1U << threadIdx.x) - 1U;
  auto const make = [&](std::uint32_t child, FixedSum sum, std::uint32_t place) {
    level.next[child] = {{sum, NodeGain(sum, gain, {}), {}, -1, 0}, place};
  };
  std::uint32_t n_next = 0;
  for (std::uint32_t first = 0; first < level.n_nodes; first += 32) {
    std::uint32_t const index = first + threadIdx.x;
    bool const is_node = index < level.n_nodes;
    LevelNode const& node = level.nodes[is_node ? index : 0];
    LevelSplit& split = splits[is_node ? index : 0];
    bool const is_made = is_node && !is_last && IsWorthSplitting(split.found.split, gamma);
    FixedSum const left = split.found.split.left;
    FixedSum const right = node.searched.sum - left;
    bool const has_left = is_made && IsEnoughForTwo(left, gain);
    bool const has_right = is_made && IsEnoughForTwo(right, gain);
    unsigned const lefts = __ballot_sync(bin_scan::kAllLanes, has_left);
    unsigned const rights = __ballot_sync(bin_scan::kAllLanes, has_right);
    std::uint32_t const child = n_next + __popc(lefts & below) + __popc(rights & below);
    n_next += __popc(lefts) + __popc(rights);
    if (has_left) make(child, left, 2 * node.place + 1);
    if (has_right) make(child + (has_left ? 1 : 0), right, 2 * node.place + 2);
    if (!is_node) continue;
    split.left = has_left ? static_cast<std::uint8_t>(child) : kNoNode;
    split.right = has_right ? static_cast<std::uint8_t>(child + (has_left ? 1 : 0)) : kNoNode;
  }
  return n_next;
}
#endif

__global__ void __launch_bounds__(kFewRowsThreads, 1) GrowFewRowsKernel(__grid_constant__ FewRowsTask const task) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  extern __shared__ uint4 few_rows_memory[];
  __shared__ std::uint32_t n_next;
  auto const cluster = cg::this_cluster();
  BlockOfFewRows block(task, cluster.block_rank(), reinterpret_cast<char*>(few_rows_memory));
  auto const& memory = block.Memory();
  bool const answers = cluster.block_rank() == 0;
  auto const n_answers = (1U << static_cast<unsigned>(task.n_levels)) - 1;
  block.Begin();
  Level level{memory.nodes, memory.nodes + task.shape.most_nodes, memory.best, 1};
  auto* other_best = memory.best + task.shape.most_nodes;
  for (std::int32_t depth = 0; depth < task.n_levels && level.n_nodes > 0; ++depth) {
    block.FindBest(level.nodes, level.n_nodes, depth > 0, level.best);
    cluster.sync();
    ChooseSplits(cluster, level.best, memory.splits, level.n_nodes);
    __syncthreads();
    if (answers && threadIdx.x < level.n_nodes) {
      memory.answer[level.nodes[threadIdx.x].place] = memory.splits[threadIdx.x].found.split;
    }
    if (threadIdx.x < 32) {
      auto const n_made = MakeChildren(block.Gain(), task.gamma, level, memory.splits, depth + 1 == task.n_levels);
      if (threadIdx.x == 0) n_next = n_made;
    }
    __syncthreads();
    level = {level.next, level.nodes, other_best, n_next};
    other_best = level.best == memory.best ? memory.best + task.shape.most_nodes : memory.best;
  }
  if (answers) {  // once, because the next barrier would wait for every write to host memory
    for (auto place = threadIdx.x; place < n_answers; place += kFewRowsThreads)
      task.precomputed[place] = memory.answer[place];
  }
  cluster.sync();  // other blocks may still read the splits of this block
#endif
}

void const* Kernel() { return reinterpret_cast<void const*>(GrowFewRowsKernel); }

}  // namespace

void FewRowsState::TakeBins(CudaContext const& cuda, DeviceBins const& bins) {
  most_codes = MostCodesOfFewRows(bins);
  if (most_codes > 0 && room.n_blocks == 0) room = RoomForFewRows(cuda);
}

ClusterRoom RoomForFewRows(CudaContext const& cuda) {
  auto const n_blocks = MostBlocksOfCluster(cuda, kFewRowsThreads, Kernel());
  return {n_blocks, n_blocks == 0 ? 0 : MostShared(cuda, Kernel())};
}

FewRowsShape ShapeOfFewRows(ClusterRoom const& room, FewRowsTask const& task, std::uint32_t most_codes) {
  auto const n_features = task.find.tree_features.size();
  auto const fits = room.n_blocks > 0 && n_features > 0 && most_codes <= kMostFewCodes && task.n_rows <= kMostFewRows;
  if (!fits || task.n_levels > kMostFewLevels) return {};
  FewRowsShape shape;
  shape.most_nodes = 1U << static_cast<unsigned>(task.n_levels - 1);
  shape.most_own = static_cast<std::uint32_t>((n_features + room.n_blocks - 1) / room.n_blocks);
  shape.most_codes = most_codes;
  auto const bytes = [&] { return FewRowsMemory().Lay(shape, task.n_rows, nullptr); };
  shape.sums_at_once = shape.most_own;
  if (bytes() > room.shared_bytes) return {};
  auto const of_sums = most_codes * (sizeof(FixedSum) + 1) + sizeof(bin_scan::BinCandidate);
  auto const more = static_cast<std::uint32_t>((room.shared_bytes - bytes()) / of_sums);
  // One less, because each array begins at a multiple of 16 bytes.
  shape.sums_at_once = std::min(shape.most_own * shape.most_nodes, shape.most_own + more - std::min(more, 1U));
  shape.shared_bytes = bytes();
  shape.n_blocks = room.n_blocks;
  return shape;
}

void GrowFewRows(CudaContext const& cuda, FewRowsTask const& task) {
  LaunchClusters(cuda, 1, {task.shape.n_blocks, kFewRowsThreads, task.shape.shared_bytes}, GrowFewRowsKernel, task);
}

}  // namespace kauri::cuda
