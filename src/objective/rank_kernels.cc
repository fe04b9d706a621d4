#include "objective/rank_kernels.h"

#include <algorithm>

// Plain loops that the compiler turns into vector code; narrower targets than these two gain nothing over the baseline.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "objective/rank_kernels.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kauri::HWY_NAMESPACE {

/// Sums of the upper row, one per lane.
struct UpperSums {
  double gradient[kPairLanes] = {};
  double hessian[kPairLanes] = {};
  double push[kPairLanes] = {};
};

/// The upper row against the lower rows at [first, first + kPairLanes), those that are pairs.
template <typename Change>
inline void AddLanes(Change const change_of, PairRule const rule, PlacedRow const upper, std::int64_t place,
                     std::int64_t n_rows, std::int64_t first, PlacedRows* rows, UpperSums* sums) {
  double const reciprocal = 1.0 / static_cast<double>(place + 1);
  auto const* __restrict score = rows->score.data() + first;
  auto const* __restrict relevance = rows->relevance.data() + first;
  auto const* __restrict value = rows->value.data() + first;
  auto* __restrict gradient = rows->gradient.data() + first;
  auto* __restrict hessian = rows->hessian.data() + first;
  for (std::int64_t lane = 0; lane < kPairLanes; ++lane) {
    PlacedRow const lower{score[lane], relevance[lane], value[lane]};
    auto const change = change_of(upper, lower, reciprocal);
    bool const is_pair = first + lane > place && first + lane < n_rows;
    auto const pair = GradientOfPair(upper, lower, change, rule);
    auto const push = is_pair ? pair.push : 0.0;
    auto const curvature = is_pair ? pair.hessian : 0.0;
    auto const signed_push = upper.relevance > lower.relevance ? push : -push;
    gradient[lane] += signed_push;
    hessian[lane] += curvature;
    sums->gradient[lane] -= signed_push;
    sums->hessian[lane] += curvature;
    sums->push[lane] += push;
  }
}

template <typename Change>
double AddPairsOfBest(Change const change_of, PairRule const& rule, std::int64_t n_best, PlacedRows* rows) {
  double total = 0.0;
  for (std::int64_t place = 0; place < n_best; ++place) {
    UpperSums sums;
    auto const upper = rows->At(place);
    for (auto first = (place + 1) / kPairLanes * kPairLanes; first < rows->n_rows; first += kPairLanes) {
      AddLanes(change_of, rule, upper, place, rows->n_rows, first, rows, &sums);
    }
    double push = 0.0;
    for (std::int64_t lane = 0; lane < kPairLanes; ++lane) {
      rows->gradient[static_cast<std::size_t>(place)] += sums.gradient[lane];
      rows->hessian[static_cast<std::size_t>(place)] += sums.hessian[lane];
      push += sums.push[lane];
    }
    total += push;
  }
  return total;
}

double AddPairwise(PairRule const& rule, std::int64_t n_best, PlacedRows* rows) {
  return AddPairsOfBest(PairwiseChange{}, rule, n_best, rows);
}
double AddNdcg(PairRule const& rule, std::int64_t n_best, PlacedRows* rows) {
  return AddPairsOfBest(NdcgChange{}, rule, n_best, rows);
}
double AddMap(PairRule const& rule, std::int64_t n_best, PlacedRows* rows) {
  return AddPairsOfBest(MapChange{}, rule, n_best, rows);
}

}  // namespace kauri::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kauri {

HWY_EXPORT(AddPairwise);
HWY_EXPORT(AddNdcg);
HWY_EXPORT(AddMap);

void PlacedRows::Resize(std::int64_t n) {
  n_rows = n;
  auto const padded = static_cast<std::size_t>((n + kPairLanes - 1) / kPairLanes * kPairLanes);
  if (score.size() < padded) {
    for (auto* column : {&score, &relevance, &value, &gradient, &hessian}) column->resize(padded);
  }
  std::fill_n(gradient.begin(), padded, 0.0);
  std::fill_n(hessian.begin(), padded, 0.0);
}

double AddBestPairs(RankTarget target, PairRule const& rule, std::int64_t n_best, PlacedRows* rows) {
  switch (target) {
    case RankTarget::kPairwise:
      return HWY_DYNAMIC_DISPATCH(AddPairwise)(rule, n_best, rows);
    case RankTarget::kNdcg:
      return HWY_DYNAMIC_DISPATCH(AddNdcg)(rule, n_best, rows);
    case RankTarget::kMap:
      break;
  }
  return HWY_DYNAMIC_DISPATCH(AddMap)(rule, n_best, rows);
}

}  // namespace kauri
#endif
