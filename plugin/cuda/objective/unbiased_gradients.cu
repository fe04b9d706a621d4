/// Rankings with a position bias (objective/ranking/position_bias.h). Similar to rank_gradients.cu, but the costs of
/// pairs are float64 sums that depend on their order, so they are added in the host's order. One block of threads takes
/// the groups of GroupsPerBlock one after the other, and the pairs of each in the host's order, kRankThreads at a time.
/// 1. A thread computes a pair, adds it to both rows (exact sums, by atomics) and writes its costs to shared memory.
/// 2. A thread for each position adds the costs of its position; one thread adds the pushes.
/// 3. After all groups, a thread for each position adds the sums of the blocks.
/// Per pair about 150 float64 operations, and a read by the thread of each position.
#include "common/threads/parallel_for.h"
#include "cuda/common/launch.h"
#include "cuda/objective/rank_gradients.h"
#include "cuda/objective/rank_group.cuh"
#include "kauri/error.h"

namespace kauri::cuda {
namespace {

/// The push and the costs of a pair, with the positions that they count for.
struct CostOfPair {
  double push;
  PairCosts costs;
  std::int32_t relevant;  ///< position; -1: the pair has no cost
  std::int32_t other;
};

__device__ __forceinline__ CostOfPair NoCost() { return {0.0, {0.0, 0.0}, -1, -1}; }

struct BiasTask {
  BiasView bias;
  double largest_factor;
  std::int64_t n_groups;
  std::int64_t groups_per_block;
  double* relevant;  ///< (in, out) [n_blocks, n_positions]: sums, 0 before
  double* other;
};

/// The sums of one block.
struct BlockCosts {
  double* relevant;  ///< [n_positions]
  double* other;
};

/// The pairs of a group, chunk by chunk. Called by all threads of the block.
template <typename Change>
class PairsInOrder {
 public:
  __device__ PairsInOrder(GroupTask const& own, PairRule const& pairs, BiasView const& bias, BlockCosts const& costs)
      : own_(own), pairs_(pairs), bias_(bias), costs_(costs) {}

  /// Adds the pairs of the best places with all rows below them. Returns the sum of the pushes to every thread.
  __device__ double OfBest() {
    std::int64_t const n_best = own_.task.rule.BestPlaces(own_.n);
    for (std::int64_t upper = 0; upper < n_best; ++upper) {
      for (std::int64_t first = upper + 1; first < own_.n; first += kRankThreads) {
        std::int64_t const lower = first + threadIdx.x;
        AddChunk(lower < own_.n ? Compute(upper, lower) : NoCost());
      }
    }
    return Strength();
  }
  __device__ void OfDrawn() {
    auto const* place_of_row = own_.task.arrays.place_of_row + own_.range.begin;
    std::int64_t const n_pairs = own_.task.rule.n_pairs;
    std::uint64_t const key = CombineKeys(own_.task.rule.key, static_cast<std::uint64_t>(own_.group));
    for (std::int64_t first = 0; first < own_.n * n_pairs; first += kRankThreads) {
      std::int64_t const draw = first + threadIdx.x;
      CostOfPair cost = NoCost();
      if (draw < own_.n * n_pairs) {
        std::int64_t const i = draw / n_pairs;
        std::int64_t const row = own_.RowByLabel(i);
        LabelBucket const bucket = BucketOf(own_, i);
        if (bucket.HasOthers()) {
          std::int64_t const drawn = bucket.Partner(key, row * n_pairs + draw % n_pairs);
          std::int64_t const place = place_of_row[row];
          std::int64_t const other = place_of_row[own_.RowByLabel(drawn)];
          cost = Compute(place < other ? place : other, place < other ? other : place);
        }
      }
      AddChunk(cost);
    }
  }

 private:
  /// Adds the pair to its rows, and returns its costs.
  __device__ CostOfPair Compute(std::int64_t upper, std::int64_t lower) const {
    CostOfPair cost = NoCost();
    PlacedRow const upper_row = own_.At(upper);
    PlacedRow const lower_row = own_.At(lower);
    if (upper_row.relevance == lower_row.relevance) return cost;
    double const change = Change{}(upper_row, lower_row, 1.0 / static_cast<double>(upper + 1));
    double weight = PairWeight(upper_row, lower_row, change, pairs_);
    bool const upper_is_relevant = upper_row.relevance > lower_row.relevance;
    auto const* position_of = own_.task.arrays.row_of_place + own_.range.begin;
    std::int64_t const relevant = position_of[upper_is_relevant ? upper : lower];
    std::int64_t const other = position_of[upper_is_relevant ? lower : upper];
    if (bias_.IsTracked(relevant, other)) {
      cost.relevant = static_cast<std::int32_t>(relevant);
      cost.other = static_cast<std::int32_t>(other);
      cost.costs = bias_.Costs(relevant, other, PairCost(upper_row, lower_row, weight));
    }
    weight *= bias_.Factor(relevant, other);
    PairGradient const pair = GradientOfPair(upper_row, lower_row, weight, pairs_);
    double const signed_push = upper_is_relevant ? pair.push : -pair.push;
    own_.Add(upper, -signed_push, pair.hessian);
    own_.Add(lower, signed_push, pair.hessian);
    cost.push = pair.push;
    return cost;
  }

  /// Adds the costs of the next kRankThreads pairs, in the order of the threads. `cost`: of this thread's pair.
  __device__ void AddChunk(CostOfPair const& cost) {
    __shared__ CostOfPair chunk[kRankThreads];
    chunk[threadIdx.x] = cost;
    __syncthreads();
    for (std::int64_t position = threadIdx.x; position < bias_.n_positions; position += kRankThreads) {
      double relevant = costs_.relevant[position];
      double other = costs_.other[position];
      for (int i = 0; i < kRankThreads; ++i) {
        if (chunk[i].relevant == position) relevant += chunk[i].costs.relevant;
        if (chunk[i].other == position) other += chunk[i].costs.other;
      }
      costs_.relevant[position] = relevant;
      costs_.other[position] = other;
    }
    if (threadIdx.x == kRankThreads - 1) {
      for (int i = 0; i < kRankThreads; ++i) strength_ += chunk[i].push;
    }
    __syncthreads();  // before the next chunk
  }

  __device__ double Strength() const {
    __shared__ double strength;
    if (threadIdx.x == kRankThreads - 1) strength = strength_;
    __syncthreads();
    double const found = strength;
    __syncthreads();  // before the next group writes
    return found;
  }

  GroupTask const& own_;
  PairRule const& pairs_;
  BiasView const& bias_;
  BlockCosts const& costs_;
  double strength_ = 0.0;  ///< used by the last thread
};

/// One block for each block of groups.
template <typename Change>
__global__ void __launch_bounds__(kRankThreads) UnbiasedGroupsKernel(RankTask task, BiasTask bias) {
  std::int64_t const first = static_cast<std::int64_t>(blockIdx.x) * bias.groups_per_block;
  std::int64_t const last =
      first + bias.groups_per_block < bias.n_groups ? first + bias.groups_per_block : bias.n_groups;
  std::int64_t const begin = static_cast<std::int64_t>(blockIdx.x) * bias.bias.n_positions;
  BlockCosts const costs{bias.relevant + begin, bias.other + begin};
  for (std::int64_t group = first; group < last; ++group) {
    GroupTask const own(task, group);
    ComputeGroup<Change>(own, bias.largest_factor, [&](PairRule const& pairs) {
      PairsInOrder<Change> in_order(own, pairs, bias.bias, costs);
      double strength = 0.0;
      if (task.rule.method == PairMethod::kTopK) {
        strength = in_order.OfBest();
      } else {
        in_order.OfDrawn();
      }
      __syncthreads();
      return strength;
    });
  }
}

/// Replaces the first block's sums by the sums of all blocks, added in order. sums: [n_blocks, n_positions], for
/// `relevant` (blockIdx.y = 0) and `other`.
__global__ void __launch_bounds__(kRankThreads) AddBlocksKernel(std::int64_t n_blocks, BiasTask bias) {
  std::int64_t const position = static_cast<std::int64_t>(blockIdx.x) * kRankThreads + threadIdx.x;
  std::int64_t const n_positions = bias.bias.n_positions;
  if (position >= n_positions) return;
  double* const sums = (blockIdx.y == 0 ? bias.relevant : bias.other) + position;
  double total = sums[0];
#pragma unroll 8
  for (std::int64_t block = 1; block < n_blocks; ++block) total += sums[block * n_positions];
  sums[0] = total;
}

void LaunchUnbiasedGroups(CudaContext const& cuda, std::int64_t n_blocks, RankTask const& task, BiasTask const& bias) {
  auto const grid = static_cast<unsigned>(n_blocks);
  if (task.rule.target == RankTarget::kPairwise) {
    Launch(cuda, grid, kRankThreads, UnbiasedGroupsKernel<PairwiseChange>, task, bias);
  } else if (task.rule.target == RankTarget::kNdcg) {
    Launch(cuda, grid, kRankThreads, UnbiasedGroupsKernel<NdcgChange>, task, bias);
  } else {
    Launch(cuda, grid, kRankThreads, UnbiasedGroupsKernel<MapChange>, task, bias);
  }
}

}  // namespace

PositionCosts UnbiasedGradients(CudaContext const& cuda, LambdaRule const& rule, PositionBias const& bias,
                                Span<float const> margins, DeviceInfo const& info, Span<GradientPair> out) {
  if (info.n_rows == 0) return {};
  auto const n_groups = NumGroups(info);
  auto const groups_per_block = GroupsPerBlock(n_groups, info.n_rows);
  auto const n_blocks = NumBlocks(n_groups, groups_per_block);
  auto const on_host = bias.View();
  if (on_host.n_positions == 0) Fail(ErrorKind::kInternal, "expected the size of the largest query group, got 0");
  auto const n_positions = static_cast<std::size_t>(on_host.n_positions);
  Buffer<double> const biases(cuda, 2 * n_positions);
  CopyToDevice(cuda, on_host.relevant, n_positions, biases.data());
  CopyToDevice(cuda, on_host.other, n_positions, biases.data() + n_positions);
  auto const n_sums = static_cast<std::size_t>(n_blocks) * n_positions;
  Buffer<double> const sums(cuda, 2 * n_sums);
  FillZero(cuda, sums.data(), sums.size());
  RankMemory const memory(cuda, rule, margins, info);
  BiasTask const task{{biases.data(), biases.data() + n_positions, on_host.n_positions},
                      bias.LargestFactor(),
                      n_groups,
                      groups_per_block,
                      sums.data(),
                      sums.data() + n_sums};
  LaunchUnbiasedGroups(cuda, n_blocks, memory.Task(rule, margins, info, out), task);
  LaunchGrid(cuda, dim3(GridFor(on_host.n_positions, kRankThreads), 2), kRankThreads, AddBlocksKernel, n_blocks, task);
  PositionCosts costs;
  costs.relevant = ToHost(cuda, task.relevant, n_positions);
  costs.other = ToHost(cuda, task.other, n_positions);
  return costs;
}

}  // namespace kauri::cuda
