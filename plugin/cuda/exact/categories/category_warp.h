/// \file The best split of a node on a categorical feature, found by a warp: FindCategorySplit
/// (src/tree/categories/category_split.h) with its candidates distributed over the lanes.
///
/// The code is generic over the warp, like path_warp.h: on the device a Var is a register, on the host an array, so
/// that the same code is tested without a device.
///
/// 1. One category against the others: lanes take the categories, each with its two candidates.
/// 2. Sets: 32 categories at a time from the low end of the order, with a scan for the sums up to each lane; then the
///    same from the high end.
/// 3. Every lane keeps the first of its best candidates. Among the lanes' candidates, the one that the host's search
///    meets first (ComesBefore) wins.
/// Categories without rows in the node are candidates like the others. The host skips them with the same result: such a
/// candidate has the sums of an earlier candidate, or one side has no rows.
#pragma once

#include <cstdint>

#include "cuda/exact/entries/exact_types.h"
#include "tree/categories/category_split.h"

namespace kauri::cuda {

/// A categorical feature in one node.
struct CategorySegment {
  FixedSum const* sums = nullptr;        ///< [n_categories], by index
  std::uint32_t const* order = nullptr;  ///< [n_categories], indices ordered by (weight, index); not for one_hot
  CategoryNode node;
  std::int32_t max_partition = 0;
  bool one_hot = false;
};

/// Returns whether the host's search meets `a` before `b`, for two candidates with the same loss change. Thresholds are
/// whole numbers below 2^24 as in SplitCandidate.
KAURI_HD bool ComesBefore(SegmentCandidate const& a, SegmentCandidate const& b, bool one_hot) {
  bool const same_way = a.state == b.state;
  if (one_hot && a.threshold != b.threshold) return a.threshold < b.threshold;
  if (!same_way) return a.state == SegmentCandidate::kDefaultLeft;
  return a.state == SegmentCandidate::kDefaultLeft ? a.threshold < b.threshold : a.threshold > b.threshold;
}

KAURI_HD bool IsAhead(SegmentCandidate const& a, SegmentCandidate const& b, bool one_hot) {
  if (a.state == SegmentCandidate::kNone || b.state == SegmentCandidate::kNone) return a.state > b.state;
  return a.loss_change != b.loss_change ? a.loss_change > b.loss_change : ComesBefore(a, b, one_hot);
}

template <typename Warp>
class CategoryWarp {
 public:
  /// floor: candidates with a smaller loss change are skipped.
  KAURI_HD CategoryWarp(Warp const& warp, GainParam const& param, CategorySegment const& segment, double floor)
      : warp_(warp), param_(param), segment_(segment), floor_(floor) {
    warp_.Each([&](int lane) { best_[lane] = SegmentCandidate(); });
  }

  /// Returns the best candidate, in every lane.
  KAURI_HD SegmentCandidate Find() {
    if (segment_.one_hot) {
      FindOneHot();
    } else {
      std::int64_t const n = segment_.node.n_categories;
      auto const n_tried = (segment_.max_partition < n ? segment_.max_partition : n) - 1;
      FindFromEnd(true, n_tried);
      FindFromEnd(false, n_tried);
    }
    return BestOfLanes();
  }

 private:
  template <typename T>
  using Var = typename Warp::template Var<T>;
  static constexpr int kLanes = 32;

  KAURI_HD void FindOneHot() {
    std::int64_t const n = segment_.node.n_categories;
    Var<FixedSum> present;
    warp_.Each([&](int lane) {
      present[lane] = FixedSum();
      for (std::int64_t index = lane; index < n; index += kLanes) present[lane] += segment_.sums[index];
    });
    present = FromLane(InclusiveScan(present), kLanes - 1);
    warp_.Each([&](int lane) {
      auto const missing = segment_.node.total - present[lane];
      for (std::int64_t index = lane; index < n; index += kLanes) {
        Consider(lane, segment_.sums[index], true, index);
        Consider(lane, segment_.sums[index] + missing, false, index);
      }
    });
  }

  /// Considers sets from one end of the order. The 1 .. n_tried lowest categories go right, or all categories except
  /// the 1 .. n_tried highest.
  KAURI_HD void FindFromEnd(bool lowest, std::int64_t n_tried) {
    std::int64_t const last = segment_.node.n_categories - 1;
    Var<FixedSum> before;
    warp_.Each([&](int lane) { before[lane] = FixedSum(); });
    for (std::int64_t base = 0; base < n_tried; base += kLanes) {
      Var<FixedSum> sum;
      warp_.Each([&](int lane) {
        auto const rank = base + lane;
        sum[lane] = rank < n_tried ? segment_.sums[segment_.order[lowest ? rank : last - rank]] : FixedSum();
      });
      sum = InclusiveScan(sum);
      warp_.Each([&](int lane) {
        auto const rank = base + lane;
        sum[lane] += before[lane];
        if (rank >= n_tried) return;
        if (lowest) {
          Consider(lane, sum[lane], true, rank + 1);
        } else {
          Consider(lane, segment_.node.total - sum[lane], false, last - rank);
        }
      });
      before = FromLane(sum, kLanes - 1);
    }
  }

  KAURI_HD void Consider(int lane, FixedSum right, bool missing_left, std::int64_t threshold) {
    auto const loss_change = CategoryLossChange(right, segment_.node, param_);
    if (!(loss_change >= floor_)) return;
    auto& best = best_[lane];
    if (best.state != SegmentCandidate::kNone && !(loss_change > best.loss_change)) return;
    best.loss_change = loss_change;
    best.left = segment_.node.total - right;
    best.threshold = static_cast<float>(threshold);
    best.state = missing_left ? SegmentCandidate::kDefaultLeft : SegmentCandidate::kDefaultRight;
  }

  KAURI_HD SegmentCandidate BestOfLanes() {
    SegmentCandidate result;
    for (int distance = kLanes / 2; distance > 0; distance /= 2) {
      Var<std::int32_t> place;
      warp_.Each([&](int lane) { place[lane] = lane ^ distance; });
      auto const other = ShuffleCandidate(place);
      warp_.Each([&](int lane) {
        if (IsAhead(other[lane], best_[lane], segment_.one_hot)) best_[lane] = other[lane];
      });
    }
    warp_.Each([&](int lane) { result = best_[lane]; });
    return result;
  }

  KAURI_HD Var<SegmentCandidate> ShuffleCandidate(Var<std::int32_t> const& place) const {
    Var<double> loss_change;
    Var<FixedSum> left;
    Var<float> threshold;
    Var<std::uint32_t> state;
    warp_.Each([&](int lane) {
      loss_change[lane] = best_[lane].loss_change;
      left[lane] = best_[lane].left;
      threshold[lane] = best_[lane].threshold;
      state[lane] = best_[lane].state;
    });
    loss_change = warp_.Shuffle(loss_change, place);
    left = ShuffleSum(left, place);
    threshold = warp_.Shuffle(threshold, place);
    state = warp_.Shuffle(state, place);
    Var<SegmentCandidate> shuffled;
    warp_.Each([&](int lane) {
      shuffled[lane].loss_change = loss_change[lane];
      shuffled[lane].left = left[lane];
      shuffled[lane].threshold = threshold[lane];
      shuffled[lane].state = state[lane];
    });
    return shuffled;
  }

  KAURI_HD Var<FixedSum> ShuffleSum(Var<FixedSum> const& from, Var<std::int32_t> const& place) const {
    Var<std::int64_t> gradient;
    Var<std::int64_t> hessian;
    warp_.Each([&](int lane) {
      gradient[lane] = from[lane].gradient;
      hessian[lane] = from[lane].hessian;
    });
    gradient = warp_.Shuffle(gradient, place);
    hessian = warp_.Shuffle(hessian, place);
    Var<FixedSum> shuffled;
    warp_.Each([&](int lane) { shuffled[lane] = {gradient[lane], hessian[lane]}; });
    return shuffled;
  }

  KAURI_HD Var<FixedSum> FromLane(Var<FixedSum> const& from, int source) const {
    Var<std::int32_t> place;
    warp_.Each([&](int lane) { place[lane] = source; });
    return ShuffleSum(from, place);
  }

  KAURI_HD Var<FixedSum> InclusiveScan(Var<FixedSum> sum) const {
    for (int step = 1; step < kLanes; step *= 2) {
      Var<std::int32_t> place;
      warp_.Each([&](int lane) { place[lane] = lane >= step ? lane - step : lane; });
      auto const other = ShuffleSum(sum, place);
      warp_.Each([&](int lane) {
        if (lane >= step) sum[lane] += other[lane];
      });
    }
    return sum;
  }

  Warp const& warp_;
  GainParam const& param_;
  CategorySegment segment_;
  double floor_;
  Var<SegmentCandidate> best_;
};

}  // namespace kauri::cuda
