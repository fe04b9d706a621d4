/// Per round: (1) rows are sorted by group and score; (2) one block of threads per group reads its rows in that order,
/// (3) finds what all pairs share (ideal gain, relevant rows), (4) adds up the pairs, (5) normalises and writes.
///
/// Step 4, best places: a warp takes 32 upper by 32 lower rows. A lane keeps one lower row and its sums; in step t it
/// meets upper row (lane + t) % 32, whose sums arrive from the next lane and go on to the one before, so that nothing
/// is reduced across lanes. Sums are exact (rank_pair.h), so the order of the additions, atomic ones among them, does
/// not matter. Per pair about 70 float64 operations; 32 n pairs per group by default.
#include <cub/block/block_scan.cuh>
#include <type_traits>

#include "cuda/common/launch.h"
#include "cuda/data/query_groups.cuh"
#include "cuda/objective/rank_gradients.h"
#include "cuda/objective/sort_in_groups.h"
#include "objective/rank_pair.h"

namespace kauri::cuda {
namespace {

constexpr int kThreads = 128;
constexpr int kWarp = 32;
constexpr unsigned kAllLanes = 0xFFFFFFFFU;

/// By place, [n_rows] each; a group's begin at its first row.
struct RankArrays {
  std::uint32_t const* row_of_place;
  std::uint32_t const* row_by_label;  ///< nullptr unless ndcg or sampled pairs need it
  std::uint32_t* place_of_row;        ///< nullptr unless pairs are sampled
  PlacedRow* placed;
  double* gradient;
  double* hessian;
  double* push;  ///< sums of GradientOfPair::push over the pairs of which this is the upper row
};

struct RankTask {
  LambdaRule rule;
  float const* margins;
  DeviceInfo info;
  double const* weight_scale;  ///< nullptr: no weights
  RankArrays arrays;
  GradientPair* out;
};

/// value_of(0) + ... + value_of(n - 1), added one after the other as on the host; every thread gets it.
template <typename Fn>
__device__ double SumInOrder(std::int64_t n, Fn const& value_of) {
  __shared__ double values[kThreads];
  __shared__ double total;
  if (threadIdx.x == 0) total = 0.0;
  for (std::int64_t begin = 0; begin < n; begin += kThreads) {
    if (begin + threadIdx.x < n) values[threadIdx.x] = value_of(begin + threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) {
      std::int64_t const count = n - begin < kThreads ? n - begin : kThreads;
      for (std::int64_t i = 0; i < count; ++i) total += values[i];
    }
    __syncthreads();
  }
  __syncthreads();
  double const sum = total;
  __syncthreads();  // before a next call writes
  return sum;
}

/// One group as its block sees it.
struct GroupTask {
  RankTask const& task;
  GroupRange range;
  std::int64_t group;
  std::int64_t n;

  __device__ GroupTask(RankTask const& of_task, std::int64_t index)
      : task(of_task), range(of_task.info, index), group(index), n(range.Size()) {}
  __device__ float Label(std::int64_t row) const { return task.info.labels.data()[range.begin + row]; }
  __device__ PlacedRow& At(std::int64_t place) const { return task.arrays.placed[range.begin + place]; }
  __device__ std::int64_t RowByLabel(std::int64_t i) const { return task.arrays.row_by_label[range.begin + i]; }
  __device__ void Add(std::int64_t place, double gradient, double hessian) const {
    atomicAdd(task.arrays.gradient + range.begin + place, gradient);
    atomicAdd(task.arrays.hessian + range.begin + place, hessian);
  }
};

/// Rows in the order of their scores, and sums of 0.
__device__ void PlaceRows(GroupTask const& own) {
  auto const& arrays = own.task.arrays;
  bool const discounts = own.task.rule.target == RankTarget::kNdcg;
  for (std::int64_t place = threadIdx.x; place < own.n; place += kThreads) {
    std::int64_t const at = own.range.begin + place;
    std::uint32_t const row = arrays.row_of_place[at];
    arrays.placed[at] = {static_cast<double>(own.task.margins[own.range.begin + row]),
                         own.task.rule.Relevance(own.Label(row)), discounts ? RankDiscount(place) : 0.0};
    arrays.gradient[at] = 0.0;
    arrays.hessian[at] = 0.0;
    arrays.push[at] = 0.0;
    if (arrays.place_of_row != nullptr) {
      arrays.place_of_row[own.range.begin + row] = static_cast<std::uint32_t>(place);
    }
  }
  __syncthreads();
}

__device__ double ScaleOfNdcg(GroupTask const& own) {
  double const ideal = SumInOrder(own.task.rule.BestPlaces(own.n), [&](std::int64_t place) {
    return own.task.rule.Relevance(own.Label(own.RowByLabel(place))) * RankDiscount(place);
  });
  return ideal > 0.0 ? 1.0 / ideal : 0.0;
}

/// Fills the values of the places: sums from the first place on, kThreads places at a time.
__device__ double ScaleOfMap(GroupTask const& own) {
  using CountScan = cub::BlockScan<std::int64_t, kThreads>;
  using ReciprocalScan = cub::BlockScan<double, kThreads>;
  __shared__ typename CountScan::TempStorage count_storage;
  __shared__ typename ReciprocalScan::TempStorage reciprocal_storage;
  ExactGrid const grid = ReciprocalGrid();
  std::int64_t n_found = 0;
  double reciprocals = 0.0;
  for (std::int64_t begin = 0; begin < own.n; begin += kThreads) {
    std::int64_t const place = begin + threadIdx.x;
    bool const relevant = place < own.n && own.At(place).relevance != 0.0;
    std::int64_t found = relevant ? 1 : 0;
    double before = relevant ? grid.Round(1.0 / static_cast<double>(place + 1)) : 0.0;
    std::int64_t found_in_chunk = 0;
    double reciprocals_of_chunk = 0.0;
    CountScan(count_storage).InclusiveSum(found, found, found_in_chunk);
    ReciprocalScan(reciprocal_storage).ExclusiveSum(before, before, reciprocals_of_chunk);
    if (place < own.n) own.At(place).value = MapPlaceValue(n_found + found, place, reciprocals + before);
    n_found += found_in_chunk;
    reciprocals += reciprocals_of_chunk;
    __syncthreads();  // the scans' memory is used again
  }
  return n_found > 0 ? 1.0 / static_cast<double>(n_found) : 0.0;
}

/// Sums of one row.
struct RowSums {
  double gradient = 0.0;
  double hessian = 0.0;
  double push = 0.0;

  /// Those that the next lane has.
  __device__ RowSums FromNextLane() const {
    int const next = (threadIdx.x + 1) % kWarp;
    return {__shfl_sync(kAllLanes, gradient, next), __shfl_sync(kAllLanes, hessian, next),
            __shfl_sync(kAllLanes, push, next)};
  }
};

/// The pairs of kWarp upper rows from `first_upper` with kWarp lower rows from `first_lower`, by one warp.
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
  std::int64_t const upper = first_upper + lane;  // the sums are back where they began
  if (upper < n_best) {
    own.Add(upper, of_upper.gradient, of_upper.hessian);
    atomicAdd(own.task.arrays.push + own.range.begin + upper, of_upper.push);
  }
}

template <typename Change>
__device__ void AddTopPairs(GroupTask const& own, PairRule const& pairs) {
  std::int64_t const n_upper = (own.task.rule.BestPlaces(own.n) + kWarp - 1) / kWarp;
  std::int64_t const n_lower = (own.n + kWarp - 1) / kWarp;
  for (std::int64_t tile = threadIdx.x / kWarp; tile < n_upper * n_lower; tile += kThreads / kWarp) {
    std::int64_t const upper = tile / n_lower;
    std::int64_t const lower = tile % n_lower;
    if (upper <= lower) AddTile<Change>(own, pairs, upper * kWarp, lower * kWarp);
  }
}

/// The rows with the label of the i-th by label: labels descend.
__device__ LabelBucket BucketOf(GroupTask const& own, std::int64_t i) {
  float const label = own.Label(own.RowByLabel(i));
  std::int64_t low = 0;
  std::int64_t high = i;
  while (low < high) {  // the first that is not above
    std::int64_t const middle = low + (high - low) / 2;
    bool const above = own.Label(own.RowByLabel(middle)) > label;
    low = above ? middle + 1 : low;
    high = above ? high : middle;
  }
  LabelBucket bucket{low, i + 1, own.n};
  std::int64_t end = own.n;
  while (bucket.end < end) {  // the first that is below
    std::int64_t const middle = bucket.end + (end - bucket.end) / 2;
    bool const below = own.Label(own.RowByLabel(middle)) < label;
    end = below ? middle : end;
    bucket.end = below ? bucket.end : middle + 1;
  }
  return bucket;
}

template <typename Change>
__device__ void AddSampledPairs(GroupTask const& own, PairRule const& pairs) {
  Change const change_of{};
  auto const* place_of_row = own.task.arrays.place_of_row + own.range.begin;
  std::int64_t const n_pairs = own.task.rule.n_pairs;
  std::uint64_t const key = CombineKeys(own.task.rule.key, static_cast<std::uint64_t>(own.group));
  for (std::int64_t i = threadIdx.x; i < own.n; i += kThreads) {
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

__device__ void Write(GroupTask const& own, double scale) {
  for (std::int64_t place = threadIdx.x; place < own.n; place += kThreads) {
    std::int64_t const at = own.range.begin + place;
    own.task.out[own.range.begin + own.task.arrays.row_of_place[at]] = {
        static_cast<float>(own.task.arrays.gradient[at] * scale),
        static_cast<float>(own.task.arrays.hessian[at] * scale)};
  }
}

template <typename Change>
__device__ double ScaleOf(GroupTask const& own) {
  if (own.n < 2) return 0.0;
  PlaceRows(own);
  if constexpr (std::is_same_v<Change, NdcgChange>) return ScaleOfNdcg(own);
  if constexpr (std::is_same_v<Change, MapChange>) return ScaleOfMap(own);
  return 1.0;
}

/// One block per group.
template <typename Change>
__global__ void __launch_bounds__(kThreads) RankGroupsKernel(RankTask task) {
  GroupTask const own(task, blockIdx.x);
  double const change_scale = ScaleOf<Change>(own);
  if (change_scale == 0.0) {  // for the whole block
    for (std::int64_t row = own.range.begin + threadIdx.x; row < own.range.end; row += kThreads) {
      task.out[row] = {0.0F, 0.0F};
    }
    return;
  }
  bool const by_distance = task.rule.normalize_scores && own.At(0).score != own.At(own.n - 1).score;
  double const largest = task.arrays.row_by_label == nullptr ? 1.0 : task.rule.Relevance(own.Label(own.RowByLabel(0)));
  PairRule const pairs = MakePairRule(task.rule, own.n, largest, change_scale, by_distance);
  double strength = 0.0;
  if (task.rule.method == PairMethod::kTopK) {
    AddTopPairs<Change>(own, pairs);
    __syncthreads();
    strength = SumInOrder(task.rule.BestPlaces(own.n),
                          [&](std::int64_t place) { return task.arrays.push[own.range.begin + place]; });
  } else {
    AddSampledPairs<Change>(own, pairs);
    __syncthreads();
  }
  double const weight =
      static_cast<double>(own.range.weight) * (task.weight_scale == nullptr ? 1.0 : *task.weight_scale);
  Write(own, GroupScale(task.rule, strength) * weight);
}

/// One block: the largest weight, then n / the sum of all on its grid.
__global__ void __launch_bounds__(kThreads) WeightScaleKernel(Span<float const> weights, double* scale) {
  __shared__ float largest[kThreads];
  __shared__ double sums[kThreads];
  float own_largest = 0.0F;
  for (std::size_t i = threadIdx.x; i < weights.size(); i += kThreads)
    own_largest = fmaxf(own_largest, weights.data()[i]);
  largest[threadIdx.x] = own_largest;
  __syncthreads();
  for (int step = kThreads / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) largest[threadIdx.x] = fmaxf(largest[threadIdx.x], largest[threadIdx.x + step]);
    __syncthreads();
  }
  auto const n = static_cast<std::int64_t>(weights.size());
  ExactGrid const grid = WeightGrid(n, largest[0]);
  double own_sum = 0.0;
  for (std::size_t i = threadIdx.x; i < weights.size(); i += kThreads) {
    own_sum += grid.Round(static_cast<double>(weights.data()[i]));
  }
  sums[threadIdx.x] = own_sum;
  __syncthreads();
  for (int step = kThreads / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) sums[threadIdx.x] += sums[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) *scale = static_cast<double>(n) / sums[0];
}

void LaunchGroups(CudaContext const& cuda, RankTask const& task) {
  auto const n_groups = static_cast<unsigned>(NumGroups(task.info));
  if (task.rule.target == RankTarget::kPairwise) {
    Launch(cuda, n_groups, kThreads, RankGroupsKernel<PairwiseChange>, task);
  } else if (task.rule.target == RankTarget::kNdcg) {
    Launch(cuda, n_groups, kThreads, RankGroupsKernel<NdcgChange>, task);
  } else {
    Launch(cuda, n_groups, kThreads, RankGroupsKernel<MapChange>, task);
  }
}

}  // namespace

void RankGradients(CudaContext const& cuda, LambdaRule const& rule, Span<float const> margins, DeviceInfo const& info,
                   Span<GradientPair> out) {
  auto const n = margins.size();
  bool const sampled = rule.method == PairMethod::kMean;
  bool const needs_label_order = sampled || rule.target == RankTarget::kNdcg;
  auto const row_of_place = SortInGroups(cuda, margins, info);
  auto const row_by_label = needs_label_order ? SortInGroups(cuda, info.labels, info) : Buffer<std::uint32_t>();
  Buffer<std::uint32_t> const place_of_row(cuda, sampled ? n : 0);
  Buffer<PlacedRow> const placed(cuda, n);
  Buffer<double> const gradient(cuda, n);
  Buffer<double> const hessian(cuda, n);
  Buffer<double> const push(cuda, n);
  Buffer<double> const weight_scale(cuda, info.weights.empty() ? 0 : 1);
  if (!info.weights.empty()) Launch(cuda, 1, kThreads, WeightScaleKernel, info.weights, weight_scale.data());
  RankArrays const arrays{row_of_place.data(), row_by_label.data(), place_of_row.data(), placed.data(),
                          gradient.data(),     hessian.data(),      push.data()};
  LaunchGroups(cuda, {rule, margins.data(), info, weight_scale.data(), arrays, out.data()});
}

}  // namespace kauri::cuda
