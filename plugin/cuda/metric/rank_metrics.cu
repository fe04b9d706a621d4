/// ndcg, map and pre.
/// 1. Rows are sorted by query group and prediction. For ndcg they are also sorted by group and label; for map the
///    relevant rows are counted up.
/// 2. Eight threads per group add up the values of its first places.
/// 3. The scores of the groups are added up.
#include "common/math.h"
#include "cuda/common/launch.h"
#include "cuda/common/sums.cuh"
#include "cuda/common/sums.h"
#include "cuda/data/query_groups.cuh"
#include "cuda/metric/device_metric.h"
#include "cuda/metric/sorted_rows.h"
#include "metric/ranked_rows.h"

namespace kauri::cuda {
namespace {

constexpr int kThreads = 128;

/// Rows sorted by group and prediction.
struct RankedView {
  std::uint64_t const* keys;
  RowWeights const* rows;

  __device__ bool HasNaN(GroupRange const& group) const {
    if (group.Size() == 0) return false;
    return IsNaNKey(static_cast<std::uint32_t>(keys[group.begin])) ||
           IsNaNKey(static_cast<std::uint32_t>(keys[group.end - 1]));
  }
};

/// NDCG: the sum of discounted gains over the first places of a group, against the ideal sum.
struct NdcgRule {
  RankRule rule;
  RowWeights const* by_label;

  __device__ double DiscountedGain(RowWeights const* rows, GroupRange const& group) const {
    return SumInTeam(rule.Top(group.Size()), [&](std::int64_t place) {
      return rule.Gain(rows[group.begin + place].positive) * RankDiscount(place);
    });
  }
  __device__ WeightedSum Score(RankedView const& ranked, GroupRange const& group) const {
    double const gain = DiscountedGain(ranked.rows, group);
    return rule.NdcgScore(gain, DiscountedGain(by_label, group), static_cast<double>(group.weight));
  }
};

struct MapRule {
  RankRule rule;
  CurvePoint const* counts;  ///< tp: relevant rows up to and including each row

  __device__ WeightedSum Score(RankedView const& ranked, GroupRange const& group) const {
    std::int64_t const before = group.begin == 0 ? 0 : counts[group.begin - 1].tp;
    double const precisions = SumInTeam(rule.Top(group.Size()), [&](std::int64_t place) {
      std::int64_t const row = group.begin + place;
      return MapValue(ranked.rows[row].positive, counts[row].tp - before, place);
    });
    std::int64_t const n_relevant = group.Size() == 0 ? 0 : counts[group.end - 1].tp - before;
    return rule.MapScore(precisions, n_relevant, static_cast<double>(group.weight));
  }
};

struct PreRule {
  RankRule rule;

  __device__ WeightedSum Score(RankedView const& ranked, GroupRange const& group) const {
    double const found = SumInTeam(rule.Top(group.Size()), [&](std::int64_t place) {
      return static_cast<double>(ranked.rows[group.begin + place].positive);
    });
    return rule.PreScore(found, group.Size(), static_cast<double>(group.weight));
  }
};

/// Scores the groups, with eight threads per group. scores: [n_groups].
template <typename Rule>
__global__ void __launch_bounds__(kThreads)
    ScoreGroupsKernel(Rule rule, RankedView ranked, DeviceInfo info, std::int64_t n_groups, WeightedSum* scores) {
  std::int64_t const team = LaneTeam();
  if (team >= n_groups) return;
  GroupRange const group(info, team);
  WeightedSum score = rule.Score(ranked, group);
  if (ranked.HasNaN(group)) score = {detail::BitsToDouble(0x7FF8000000000000ULL), static_cast<double>(group.weight)};
  if (IsFirstLane()) scores[team] = score;
}

template <typename Rule>
double MeanScore(CudaContext const& cuda, Rule const& rule, SortedRows const& sorted, DeviceInfo const& info) {
  auto const n_groups = NumGroups(info);
  Buffer<WeightedSum> scores(cuda, static_cast<std::size_t>(n_groups));
  Launch(cuda, GridFor(n_groups * kLaneThreads, kThreads), kThreads, ScoreGroupsKernel<Rule>, rule,
         RankedView{sorted.keys.data(), sorted.rows.data()}, info, n_groups, scores.data());
  return RankMean(SumScores(cuda, scores.span()));
}

class RankVersion : public DeviceMetric {
 public:
  explicit RankVersion(RankRule const& rule) : rule_(rule) {}

  double Evaluate(CudaContext const& cuda, Span<float const> predictions, DeviceInfo const& info) const override {
    SortOrder source;
    source.carry = SortOrder::Carry::kLabel;
    source.sort_by = predictions.data();
    auto const ranked = SortRows(cuda, source, info);
    if (rule_.kind == RankRule::Kind::kPre) return MeanScore(cuda, PreRule{rule_}, ranked, info);
    if (rule_.kind == RankRule::Kind::kMap) {
      auto const counts = AddUpRows(cuda, ranked.rows.span(), 1.0);
      return MeanScore(cuda, MapRule{rule_, counts.data()}, ranked, info);
    }
    source.sort_by = info.labels.data();
    auto const ideal = SortRows(cuda, source, info);
    return MeanScore(cuda, NdcgRule{rule_, ideal.rows.data()}, ranked, info);
  }

 private:
  RankRule rule_;
};

}  // namespace

std::unique_ptr<DeviceMetric> MakeMetricVersion(RankRule const& rule) { return std::make_unique<RankVersion>(rule); }

}  // namespace kauri::cuda
