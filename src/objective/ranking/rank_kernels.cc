#include "objective/ranking/rank_kernels.h"

#include <algorithm>

// Plain loops that the compiler vectorises. Narrower targets than these two gain nothing over the baseline.
#ifndef HWY_DISABLED_TARGETS  // builds with sanitizers disable more
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "objective/ranking/rank_kernels.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kauri::HWY_NAMESPACE {

/// Computes the pairs of the upper row at `place` with the lower rows at [first, last), both multiples of kPairLanes.
/// Rows that form no pair get zeros.
template <typename Change>
inline void FillPairs(Change const change_of, PairRule const rule, std::int64_t place, std::int64_t first,
                      std::int64_t last, PlacedRows* rows) {
  auto const upper = rows->At(place);
  auto const n_rows = rows->n_rows;
  double const reciprocal = 1.0 / static_cast<double>(place + 1);
  auto const* __restrict score = rows->score.data();
  auto const* __restrict relevance = rows->relevance.data();
  auto const* __restrict value = rows->value.data();
  auto* __restrict pushes = rows->push.data();
  auto* __restrict hessians = rows->pair_hessian.data();
  for (auto lower = first; lower < last; ++lower) {
    PlacedRow const row{score[lower], relevance[lower], value[lower]};
    auto const weight = PairWeight(upper, row, change_of(upper, row, reciprocal), rule);
    auto const pair = GradientOfPair(upper, row, weight, rule);
    bool const is_pair = (lower > place) & (lower < n_rows);
    pushes[lower] = is_pair ? pair.push : 0.0;
    hessians[lower] = is_pair ? pair.hessian : 0.0;
  }
}

/// Adds the results of FillPairs to both rows of each pair. Returns the sum of the pushes.
inline double AddFilledPairs(std::int64_t place, std::int64_t first, std::int64_t last, PlacedRows* rows) {
  auto const upper_relevance = rows->relevance[place];
  auto const* __restrict relevance = rows->relevance.data();
  auto const* __restrict pushes = rows->push.data();
  auto const* __restrict hessians = rows->pair_hessian.data();
  auto* __restrict gradient_sums = rows->gradient.data();
  auto* __restrict hessian_sums = rows->hessian.data();
  double push[kPairLanes] = {};
  double signed_push[kPairLanes] = {};
  double hessian[kPairLanes] = {};
  for (auto block = first; block < last; block += kPairLanes) {
    for (std::int64_t lane = 0; lane < kPairLanes; ++lane) {
      auto const lower = block + lane;
      auto const pulled = PairSign(upper_relevance, relevance[lower]) * pushes[lower];
      gradient_sums[lower] += pulled;
      hessian_sums[lower] += hessians[lower];
      push[lane] += pushes[lower];
      signed_push[lane] += pulled;
      hessian[lane] += hessians[lower];
    }
  }
  double total = 0.0;
  for (std::int64_t lane = 0; lane < kPairLanes; ++lane) {
    total += push[lane];
    gradient_sums[place] -= signed_push[lane];
    hessian_sums[place] += hessian[lane];
  }
  return total;
}

template <typename Change>
double AddPairsOfBest(Change const change_of, PairRule const& rule, std::int64_t n_best, PlacedRows* rows) {
  auto const last = PaddedToLanes(rows->n_rows);
  double total = 0.0;
  for (std::int64_t place = 0; place < n_best; ++place) {
    auto const first = (place + 1) / kPairLanes * kPairLanes;
    FillPairs(change_of, rule, place, first, last, rows);
    total += AddFilledPairs(place, first, last, rows);
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
  auto const padded = static_cast<std::size_t>(PaddedToLanes(n));
  if (score.size() < padded) {
    for (auto* column : {&score, &relevance, &value, &gradient, &hessian, &push, &pair_hessian}) {
      column->resize(padded);
    }
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
