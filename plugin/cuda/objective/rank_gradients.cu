/// Per round: (1) rows are sorted by group and score; (2) one block of threads per group reads its rows in that order,
/// (3) finds the values common to all pairs (ideal gain, relevant rows), (4) adds up the pairs, (5) normalises and
/// writes.
///
/// Step 4, best places: a warp takes 32 upper by 32 lower rows. A lane keeps one lower row and its sums. In step t it
/// pairs with upper row (lane + t) % 32, whose sums arrive from the next lane and move on to the previous one, so that
/// nothing is reduced across lanes. Sums are exact (rank_pair.h), so the order of the additions, some of which are
/// atomic, does not matter. Per pair about 70 float64 operations; 32 n pairs per group by default.
#include "cuda/common/launch.h"
#include "cuda/objective/rank_gradients.h"
#include "cuda/objective/rank_group.cuh"

namespace kauri::cuda {
namespace {

constexpr int kWarp = 32;
constexpr unsigned kAllLanes = 0xFFFFFFFFU;

/// Sums of one row.
struct RowSums {
  double gradient = 0.0;
  double hessian = 0.0;
  double push = 0.0;

  /// Returns the sums of the next lane.
  __device__ RowSums FromNextLane() const {
    int const next = (threadIdx.x + 1) % kWarp;
    return {__shfl_sync(kAllLanes, gradient, next), __shfl_sync(kAllLanes, hessian, next),
            __shfl_sync(kAllLanes, push, next)};
  }
};

/// Adds the pairs of kWarp upper rows from `first_upper` with kWarp lower rows from `first_lower`, by one warp.
template <typename Change>
__device__ void AddTile(GroupTask const& own, PairRule const& pairs, std::int64_t first_upper,
                        std::int64_t first_lower) {
  Change const change_of{};
  int const lane = threadIdx.x % kWarp;
  std::int64_t const n_best = own.task.rule.BestPlaces(own.n);
  std::int64_t const lower = first_lower + lane;
  PlacedRow const lower_row = own.At(lower < own.n ? lower : own.n - 1);
  RowSums of_lower;
  RowSums of_upper;
  for (int step = 0; step < kWarp; ++step) {
    std::int64_t const upper = first_upper + (lane + step) % kWarp;
    if (upper < n_best && upper < lower && lower < own.n) {
      PlacedRow const upper_row = own.At(upper);
      double const change = change_of(upper_row, lower_row, 1.0 / static_cast<double>(upper + 1));
      double const weight = PairWeight(upper_row, lower_row, change, pairs);
      PairGradient const pair = GradientOfPair(upper_row, lower_row, weight, pairs);
      double const signed_push = PairSign(upper_row.relevance, lower_row.relevance) * pair.push;
      of_lower.gradient += signed_push;
      of_lower.hessian += pair.hessian;
      of_upper.gradient -= signed_push;
      of_upper.hessian += pair.hessian;
      of_upper.push += pair.push;
    }
    of_upper = of_upper.FromNextLane();
  }
  if (lower < own.n) own.Add(lower, of_lower.gradient, of_lower.hessian);
  std::int64_t const upper = first_upper + lane;  // the sums are back at their lane
  if (upper < n_best) {
    own.Add(upper, of_upper.gradient, of_upper.hessian);
    atomicAdd(own.task.arrays.push + own.range.begin + upper, of_upper.push);
  }
}

template <typename Change>
__device__ void AddTopPairs(GroupTask const& own, PairRule const& pairs) {
  std::int64_t const n_upper = (own.task.rule.BestPlaces(own.n) + kWarp - 1) / kWarp;
  std::int64_t const n_lower = (own.n + kWarp - 1) / kWarp;
  for (std::int64_t tile = threadIdx.x / kWarp; tile < n_upper * n_lower; tile += kRankThreads / kWarp) {
    std::int64_t const upper = tile / n_lower;
    std::int64_t const lower = tile % n_lower;
    if (upper <= lower) AddTile<Change>(own, pairs, upper * kWarp, lower * kWarp);
  }
}

template <typename Change>
__device__ void AddSampledPairs(GroupTask const& own, PairRule const& pairs) {
  Change const change_of{};
  auto const* place_of_row = own.task.arrays.place_of_row + own.range.begin;
  std::int64_t const n_pairs = own.task.rule.n_pairs;
  std::uint64_t const key = CombineKeys(own.task.rule.key, static_cast<std::uint64_t>(own.group));
  for (std::int64_t i = threadIdx.x; i < own.n; i += kRankThreads) {
    std::int64_t const row = own.RowByLabel(i);
    LabelBucket const bucket = BucketOf(own, i);
    if (!bucket.HasOthers()) return;
    std::int64_t const place = place_of_row[row];
    for (std::int64_t pair = 0; pair < n_pairs; ++pair) {
      std::int64_t const other = place_of_row[own.RowByLabel(bucket.Partner(key, row * n_pairs + pair))];
      std::int64_t const upper = place < other ? place : other;
      std::int64_t const lower = place < other ? other : place;
      PlacedRow const upper_row = own.At(upper);
      PlacedRow const lower_row = own.At(lower);
      double const change = change_of(upper_row, lower_row, 1.0 / static_cast<double>(upper + 1));
      double const weight = PairWeight(upper_row, lower_row, change, pairs);
      PairGradient const gradient = GradientOfPair(upper_row, lower_row, weight, pairs);
      double const signed_push = PairSign(upper_row.relevance, lower_row.relevance) * gradient.push;
      own.Add(upper, -signed_push, gradient.hessian);
      own.Add(lower, signed_push, gradient.hessian);
    }
  }
}

/// One block per group.
template <typename Change>
__global__ void __launch_bounds__(kRankThreads) RankGroupsKernel(RankTask task) {
  GroupTask const own(task, blockIdx.x);
  ComputeGroup<Change>(own, 1.0, [&](PairRule const& pairs) {
    bool const of_best = task.rule.method == PairMethod::kTopK;
    if (of_best) {
      AddTopPairs<Change>(own, pairs);
    } else {
      AddSampledPairs<Change>(own, pairs);
    }
    __syncthreads();
    if (!of_best) return 0.0;
    return SumInOrder(task.rule.BestPlaces(own.n),
                      [&](std::int64_t place) { return task.arrays.push[own.range.begin + place]; });
  });
}

void LaunchGroups(CudaContext const& cuda, RankTask const& task) {
  auto const n_groups = static_cast<unsigned>(NumGroups(task.info));
  if (task.rule.target == RankTarget::kPairwise) {
    Launch(cuda, n_groups, kRankThreads, RankGroupsKernel<PairwiseChange>, task);
  } else if (task.rule.target == RankTarget::kNdcg) {
    Launch(cuda, n_groups, kRankThreads, RankGroupsKernel<NdcgChange>, task);
  } else {
    Launch(cuda, n_groups, kRankThreads, RankGroupsKernel<MapChange>, task);
  }
}

}  // namespace

void RankGradients(CudaContext const& cuda, LambdaRule const& rule, Span<float const> margins, DeviceInfo const& info,
                   Span<GradientPair> out) {
  RankMemory const memory(cuda, rule, margins, info);
  LaunchGroups(cuda, memory.Task(rule, margins, info, out));
}

}  // namespace kauri::cuda
