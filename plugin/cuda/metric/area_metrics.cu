/// auc and aucpr.
/// 1. Rows are sorted by prediction (within query groups).
/// 2. Their weights, as integers, are added up, which gives tp and fp of every place.
/// 3. One thread per place computes the area of the step that ends there, if one does, from the place where it began.
/// 4. The areas are added up in the host's order.
/// auc of query groups is a count instead: one thread per row compares it with the later rows of its group.
#include <algorithm>
#include <cmath>

#include "common/math.h"
#include "cuda/common/launch.h"
#include "cuda/common/sums.cuh"
#include "cuda/common/sums.h"
#include "cuda/data/query_groups.cuh"
#include "cuda/metric/device_metric.h"
#include "cuda/metric/sorted_rows.h"
#include "metric/area_under.h"
#include "metric/ranked_rows.h"

namespace kauri::cuda {
namespace {

constexpr unsigned kMaxBlocks = 1024;
/// Maximum number of pairs of rows for auc of query groups: half a second. Beyond, the host's n log n is faster.
constexpr double kMaxPairs = 1e12;

__device__ __forceinline__ std::int64_t GridThread() {
  return static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
}

__device__ __forceinline__ double QuietNaN() { return detail::BitsToDouble(0x7FF8000000000000ULL); }

__device__ __forceinline__ bool IsNaNRow(std::uint64_t key) { return IsNaNKey(static_cast<std::uint32_t>(key)); }

/// Returns the first place with the key of `place`. Runs are short unless there are few distinct predictions, so the
/// previous place is checked first.
__device__ std::int64_t FirstEqual(std::uint64_t const* keys, std::int64_t place) {
  std::uint64_t const key = keys[place];
  if (place == 0 || keys[place - 1] != key) return place;
  std::int64_t low = 0;
  std::int64_t high = place - 1;
  while (low < high) {
    std::int64_t const middle = low + (high - low) / 2;
    if (keys[middle] < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

__device__ CurvePoint PointBefore(CurvePoint const* points, std::int64_t place) {
  return place == 0 ? CurvePoint{} : points[place - 1];
}
__device__ CurvePoint Difference(CurvePoint to, CurvePoint from) { return {to.tp - from.tp, to.fp - from.fp}; }

/// areas: [n_rows]. points: sums over all rows of all groups; a curve begins with its group.
template <typename Curve>
__global__ void __launch_bounds__(kBlockThreads)
    StepAreasKernel(std::uint64_t const* keys, CurvePoint const* points, DeviceInfo info, double* areas) {
  std::int64_t const place = GridThread();
  if (place >= info.n_rows) return;
  std::uint64_t const key = keys[place];
  double area = 0.0;
  if (place + 1 == info.n_rows || keys[place + 1] != key) {
    GroupRange const group(info, info.group_ptr.empty() ? 0 : static_cast<std::int64_t>(key >> 32U));
    CurvePoint const start = PointBefore(points, group.begin);
    area = Curve::StepArea(Difference(PointBefore(points, FirstEqual(keys, place)), start),
                           Difference(points[place], start));
  }
  areas[place] = IsNaNRow(key) ? QuietNaN() : area;
}

/// Eight threads per group. scores: [n_groups], areas and 1, or zeros if a group has none.
__global__ void __launch_bounds__(kBlockThreads)
    GroupAreasKernel(double const* areas, std::uint64_t const* keys, CurvePoint const* points, DeviceInfo info,
                     std::int64_t n_groups, WeightedSum* scores) {
  std::int64_t const team = LaneTeam();
  if (team >= n_groups) return;
  GroupRange const group(info, team);
  double const area = SumInTeam(group.Size(), [&](std::int64_t place) { return areas[group.begin + place]; });
  if (!IsFirstLane()) return;
  WeightedSum score;
  if (group.Size() > 0 && group.weight > 0.0F) {
    auto const total = Difference(points[group.end - 1], PointBefore(points, group.begin));
    bool const has_nan = IsNaNRow(keys[group.begin]) || IsNaNRow(keys[group.end - 1]);
    bool const is_defined = total.tp > 0 && total.fp > 0;
    if (has_nan) score = {QuietNaN(), 1.0};
    if (!has_nan && is_defined) score = {FinishArea<PrecisionRecall>(area, total), 1.0};
  }
  scores[team] = score;
}

/// The wins of a group's rows, doubled so that ties count one; and the number of rows whose prediction is NaN.
struct GroupWins {
  unsigned long long twice_wins;
  unsigned long long n_nan;
};

__global__ void __launch_bounds__(kBlockThreads)
    CountWinsKernel(float const* predictions, DeviceInfo info, GroupWins* wins) {
  std::int64_t const row = GridThread();
  if (row >= info.n_rows) return;
  std::int64_t const index = GroupOf(info, row);
  GroupRange const group(info, index);
  float const prediction = predictions[row];
  float const label = info.labels.data()[row];
  unsigned long long won = 0;
  for (std::int64_t other = row + 1; other < group.end; ++other) {
    // With equal labels the earlier row counts as the better.
    bool const is_better = label >= info.labels.data()[other];
    float const better = is_better ? prediction : predictions[other];
    float const worse = is_better ? predictions[other] : prediction;
    won += better > worse ? 2U : better == worse ? 1U : 0U;
  }
  if (won > 0) atomicAdd(&wins[index].twice_wins, won);
  if (prediction != prediction) atomicAdd(&wins[index].n_nan, 1ULL);
}

__global__ void __launch_bounds__(kBlockThreads)
    GroupRocKernel(GroupWins const* wins, DeviceInfo info, std::int64_t n_groups, WeightedSum* scores) {
  std::int64_t const index = GridThread();
  if (index >= n_groups) return;
  GroupRange const group(info, index);
  WeightedSum score;
  if (group.Size() >= kMinRocGroup) {
    score = {0.0, 1.0};
    auto const twice_wins = static_cast<std::int64_t>(wins[index].twice_wins);
    if (group.weight > 0.0F) score.loss = wins[index].n_nan > 0 ? QuietNaN() : RocOfPairs(twice_wins, group.Size());
  }
  scores[index] = score;
}

/// Weights are not negative, so the largest weight has the largest bits (except for -0, whose sign is masked).
__global__ void __launch_bounds__(kBlockThreads) LargestWeightKernel(Span<float const> weights, float* largest) {
  std::uint32_t bits = 0;
  std::int64_t const stride = static_cast<std::int64_t>(gridDim.x) * kBlockThreads;
  for (std::int64_t row = GridThread(); row < static_cast<std::int64_t>(weights.size()); row += stride) {
    bits = max(bits, __float_as_uint(weights.data()[row]) & 0x7FFFFFFFU);
  }
  for (int step = 16; step > 0; step /= 2) bits = max(bits, __shfl_xor_sync(0xFFFFFFFFU, bits, step));
  if (threadIdx.x % 32 == 0) atomicMax(reinterpret_cast<std::uint32_t*>(largest), bits);
}

double Units(CudaContext const& cuda, DeviceInfo const& info) {
  if (info.weights.empty()) return UnitsPerWeight(1.0F, info.n_rows);
  Buffer<float> largest(cuda, 1);
  FillZero(cuda, largest.data(), 1);
  auto const n = static_cast<std::int64_t>(info.weights.size());
  Launch(cuda, std::min(GridFor(n, kBlockThreads), kMaxBlocks), kBlockThreads, LargestWeightKernel, info.weights,
         largest.data());
  return UnitsPerWeight(ToHost(cuda, largest.data(), 1)[0], info.n_rows);  // waits for the weight
}

struct SortedCurves {
  SortedRows sorted;
  Buffer<CurvePoint> points;  ///< [n_rows]
  Buffer<double> areas;       ///< [n_rows]
};

template <typename Curve>
SortedCurves MakeCurves(CudaContext const& cuda, SortOrder const& source, DeviceInfo const& info, double units) {
  SortedCurves curves;
  curves.sorted = SortRows(cuda, source, info);
  curves.points = AddUpRows(cuda, curves.sorted.rows.span(), units);
  curves.areas = Buffer<double>(cuda, curves.points.size());
  Launch(cuda, GridFor(info.n_rows, kBlockThreads), kBlockThreads, StepAreasKernel<Curve>, curves.sorted.keys.data(),
         curves.points.data(), info, curves.areas.data());
  return curves;
}

struct ClassArea {
  double area;
  CurvePoint total;
};

template <typename Curve>
ClassArea AreaOfClass(CudaContext const& cuda, SortOrder const& source, DeviceInfo const& info, double units) {
  auto const curves = MakeCurves<Curve>(cuda, source, info, units);
  auto const area = SumValues(cuda, curves.areas.span());
  auto const total = ToHost(cuda, curves.points.data() + info.n_rows - 1, 1)[0];  // waits for the point
  return {FinishArea<Curve>(area, total), total};
}

template <typename Curve>
double MeanOverClasses(CudaContext const& cuda, Span<float const> predictions, DeviceInfo const& info) {
  auto const units = Units(cuda, info);
  auto const n_classes = static_cast<std::int64_t>(predictions.size()) / info.n_rows;
  WeightedSum mean;
  for (std::int64_t k = 0; k < n_classes; ++k) {
    SortOrder source;
    source.sort_by = predictions.data() + k;
    source.stride = n_classes;
    source.carry = SortOrder::Carry::kClass;
    source.class_label = static_cast<float>(k);
    auto const of_class = AreaOfClass<Curve>(cuda, source, info, units);
    mean += ClassShare<Curve>(of_class.area, of_class.total);
  }
  return mean.Mean();
}

Buffer<WeightedSum> ScoreGroups(Roc, CudaContext const& cuda, Span<float const> predictions, DeviceInfo const& info) {
  auto const n_groups = NumGroups(info);
  auto const size = static_cast<std::size_t>(n_groups);
  Buffer<GroupWins> wins(cuda, size);
  FillZero(cuda, wins.data(), size);
  Launch(cuda, GridFor(info.n_rows, kBlockThreads), kBlockThreads, CountWinsKernel, predictions.data(), info,
         wins.data());
  Buffer<WeightedSum> scores(cuda, size);
  Launch(cuda, GridFor(n_groups, kBlockThreads), kBlockThreads, GroupRocKernel, wins.data(), info, n_groups,
         scores.data());
  return scores;
}

Buffer<WeightedSum> ScoreGroups(PrecisionRecall, CudaContext const& cuda, Span<float const> predictions,
                                DeviceInfo const& info) {
  SortOrder source;
  source.sort_by = predictions.data();
  source.weighted = false;
  auto const curves = MakeCurves<PrecisionRecall>(cuda, source, info, UnitsPerWeight(1.0F, info.n_rows));
  auto const n_groups = NumGroups(info);
  Buffer<WeightedSum> scores(cuda, static_cast<std::size_t>(n_groups));
  Launch(cuda, GridFor(n_groups * kLaneThreads, kBlockThreads), kBlockThreads, GroupAreasKernel, curves.areas.data(),
         curves.sorted.keys.data(), curves.points.data(), info, n_groups, scores.data());
  return scores;
}

/// Returns whether the pairs of rows of all groups can be compared in acceptable time.
bool HasFewPairs(MetaInfo const& info) {
  double pairs = 0.0;
  for (std::size_t group = 0; group + 1 < info.group_ptr.size(); ++group) {
    auto const size = static_cast<double>(info.group_ptr[group + 1] - info.group_ptr[group]);
    pairs += size * size / 2.0;
  }
  return pairs <= kMaxPairs;
}

template <typename Curve>
class AreaVersion : public DeviceMetric {
 public:
  bool Takes(MetaInfo const& info) const override {
    return info.n_targets == 1 && (info.group_ptr.empty() || !Curve::kTakesDegrees || HasFewPairs(info));
  }
  double Evaluate(CudaContext const& cuda, Span<float const> predictions, DeviceInfo const& info) const override {
    auto const area = Area(cuda, predictions, info);
    WarnIfUndefined(Curve::kName, area);
    return area;
  }

 private:
  static double Area(CudaContext const& cuda, Span<float const> predictions, DeviceInfo const& info) {
    if (!info.group_ptr.empty()) {
      return MeanOfDefined(SumScores(cuda, ScoreGroups(Curve{}, cuda, predictions, info).span()));
    }
    if (static_cast<std::int64_t>(predictions.size()) > info.n_rows)
      return MeanOverClasses<Curve>(cuda, predictions, info);
    SortOrder source;
    source.sort_by = predictions.data();
    return AreaOfClass<Curve>(cuda, source, info, Units(cuda, info)).area;
  }
};

}  // namespace

std::unique_ptr<DeviceMetric> MakeMetricVersion(Roc const&) { return std::make_unique<AreaVersion<Roc>>(); }

std::unique_ptr<DeviceMetric> MakeMetricVersion(PrecisionRecall const&) {
  return std::make_unique<AreaVersion<PrecisionRecall>>();
}

}  // namespace kauri::cuda
