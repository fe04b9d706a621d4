/// \file Finds the best split of a node at one feature, by one warp or several.
///
/// Each warp has a part of the bins, and each of its lanes has some consecutive bins of that part. A lane adds up its
/// bins. A scan over the lanes, and the sums of other warps' parts, give the sum before each lane. Then the lane tries
/// its boundaries. A gain takes two float64 divisions, which a warp executes one after the other. If weights are never
/// clipped, gains are therefore first computed in float32, with a relative error below kRoughness, and in float64 only
/// for candidates that may still be the best.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/hist/split/find_task.h"
#include "kauri/host_device.h"

namespace kauri::cuda::bin_scan {

constexpr unsigned kAllLanes = 0xFFFFFFFFU;

__device__ __forceinline__ std::uint32_t Lane() { return threadIdx.x % 32; }

__device__ __forceinline__ FixedSum WarpSum(FixedSum sum) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    sum.gradient += __shfl_xor_sync(kAllLanes, sum.gradient, step);
    sum.hessian += __shfl_xor_sync(kAllLanes, sum.hessian, step);
  }
  return sum;
}

__device__ __forceinline__ FixedSum InclusiveScan(FixedSum sum) {
#pragma unroll
  for (unsigned step = 1; step < 32; step *= 2) {
    std::int64_t const gradient = __shfl_up_sync(kAllLanes, sum.gradient, step);
    std::int64_t const hessian = __shfl_up_sync(kAllLanes, sum.hessian, step);
    if (Lane() >= step) sum += FixedSum{gradient, hessian};
  }
  return sum;
}

__device__ __forceinline__ FixedSum LastLane(FixedSum sum) {
  return {__shfl_sync(kAllLanes, sum.gradient, 31), __shfl_sync(kAllLanes, sum.hessian, 31)};
}

__device__ __forceinline__ float WarpMax(float value) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) value = fmaxf(value, __shfl_xor_sync(kAllLanes, value, step));
  return value;
}

/// Best candidate that a lane, and then a warp, found in one feature.
struct BinCandidate {
  double loss_change = 0.0;
  std::uint32_t order = kNone;  ///< orders candidates of equal loss change: the least wins
  FixedSum left;

  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  static constexpr std::uint32_t kDown = 0x80000000U;
  /// All present rows go right. It loses against every equal candidate.
  static constexpr std::uint32_t kAlone = kNone - 1;

  /// Order of a candidate whose missing values go right: the lowest threshold first.
  __device__ static std::uint32_t Up(std::uint32_t bin) { return bin; }
  /// Order of a candidate whose missing values go left and whose first right bin is `bin`: the highest threshold first.
  __device__ static std::uint32_t Down(std::uint32_t bin) { return kDown + (0x7FFFFF00U - bin); }
  __device__ static std::uint32_t BinOfDown(std::uint32_t order) { return 0x7FFFFF00U - (order - kDown); }

  __device__ void Keep(double loss, std::uint32_t other_order, FixedSum other_left) {
    if (!(loss > loss_change) && !(loss == loss_change && other_order < order && order != kNone)) return;
    loss_change = loss;
    order = other_order;
    left = other_left;
  }
};

/// Bins of one feature that a warp reads repeatedly, kept in shared memory if there are few. A gap follows every eighth
/// bin, so that lanes that are eight bins apart use different banks.
constexpr std::uint32_t kStagedCells = 256;
struct StagedCells {
  FixedSum cells[kStagedCells + kStagedCells / 8];

  KAURI_HD static std::uint32_t Place(std::uint32_t bin) { return bin + bin / 8; }
};

/// Sums of a feature in a histogram.
struct FeatureSums {
  FixedSum* first;
  std::uint32_t stride;

  __device__ FixedSum& operator[](std::uint32_t code) const { return first[static_cast<std::uint64_t>(code) * stride]; }
};

/// One warp's part of a feature's bins; the parts are as equal as possible.
struct BinsOfPart {
  std::uint32_t first;
  std::uint32_t count;

  __device__ BinsOfPart(std::uint32_t n_bins, std::uint32_t part, std::uint32_t n_parts) {
    std::uint32_t const width = (n_bins + n_parts - 1) / n_parts;
    first = min(part * width, n_bins);
    count = min(width, n_bins - first);
  }
};

/// A part of a feature's bins, in the form that a scan reads.
struct AllBins {
  FeatureCodes const& codes;
  FeatureSums global;
  StagedCells const* staged;  ///< a copy, unless there are too many bins
  BinsOfPart part;

  __device__ std::uint32_t Count() const { return part.count; }
  __device__ std::uint32_t Bin(std::uint32_t i) const { return part.first + i; }
  __device__ FixedSum Sum(std::uint32_t i) const {
    return codes.n_codes <= kStagedCells ? staged->cells[StagedCells::Place(Bin(i))] : global[Bin(i)];
  }
};

/// Bins of a lane, and the sum before them.
struct LaneBins {
  std::uint32_t begin;
  std::uint32_t end;
  FixedSum before;  ///< sum of the bins before
  bool seen;        ///< whether some bin before holds rows

  /// Adds bins in front of the lane's.
  __device__ void Follow(FixedSum sum, bool hold_rows) {
    before += sum;
    seen = seen || hold_rows;
  }
};

/// Totals over all lanes of a warp.
struct WarpBins {
  FixedSum sum;
  bool hold_rows;
};

/// Adds the parts before this one to the bins of a lane. of_parts: totals of all warps of the feature. Returns their
/// sum.
__device__ __forceinline__ WarpBins AddOtherParts(WarpBins const* of_parts, std::uint32_t part, std::uint32_t n_parts,
                                                  LaneBins* bins) {
  WarpBins all{};
  for (std::uint32_t other = 0; other < n_parts; ++other) {
    WarpBins const theirs = of_parts[other];
    if (other < part) bins->Follow(theirs.sum, theirs.hold_rows);
    all = {all.sum + theirs.sum, all.hold_rows || theirs.hold_rows};
  }
  return all;
}

/// Computes gains in float32, in a unit that keeps their squares within its range.
class RoughGain {
 public:
  /// Bound on the relative error: three roundings of 2^-24 in a gradient's square, two in a hessian, two units in the
  /// last place of its reciprocal.
  static constexpr float kRoughness = 4e-6F;

  __device__ RoughGain(GainParam const& gain, FixedSum total, double gain_to_beat)
      : hessian_unit_(static_cast<float>(gain.unit.hessian)),
        lambda_(static_cast<float>(gain.lambda)),
        least_hessian_((1.0F + kRoughness) * static_cast<float>(gain.min_child_weight)),
        total_(total),
        floor_((1.0F - kRoughness) *
               static_cast<float>(gain_to_beat / (gain.unit.gradient * gain.unit.gradient) * (kScale * kScale))) {}

  /// Returns whether rough gains are valid. They support neither clipped weights nor an L1 penalty, and need units
  /// within the range of float32.
  __device__ static bool Applies(GainParam const& gain) {
    return GainIsQuotient(gain) && gain.alpha == 0.0 && gain.unit.hessian > 1e-15 && gain.unit.hessian < 1e10 &&
           gain.lambda < 1e30 && gain.min_child_weight < 1e30;
  }

  /// Returns whether a gain is certainly less than `floor`; never if the floor is near the smallest float32.
  __device__ static bool IsLess(float gain, float floor) {
    return (1.0F + kRoughness) * gain < floor && floor > 1e-30F;
  }
  /// Returns the gain that a split needs for a loss change above 0.
  __device__ float Floor() const { return floor_; }
  __device__ float Of(FixedSum left) const { return Quotient(left) + Quotient(total_ - left); }
  /// Returns whether both sides certainly have enough hessian.
  __device__ bool SurelyAllows(FixedSum left) const { return IsEnough(left) && IsEnough(total_ - left); }

 private:
  static constexpr float kScale = 1.0F / (1 << 30);

  __device__ float Quotient(FixedSum sum) const {
    float const gradient = static_cast<float>(sum.gradient) * kScale;
    return gradient * gradient * __fdividef(1.0F, static_cast<float>(sum.hessian) * hessian_unit_ + lambda_);
  }
  __device__ bool IsEnough(FixedSum sum) const {
    return sum.hessian > 0 && static_cast<float>(sum.hessian) * hessian_unit_ >= least_hessian_;
  }

  float hessian_unit_;
  float lambda_;
  float least_hessian_;
  FixedSum total_;
  float floor_;
};

/// Searches one feature of one node. Bins: AllBins, or a list that leaves out only bins without rows.
template <typename Bins>
struct FeatureScan {
  FindTask const& task;
  GainParam const& gain;  ///< including the unit
  FeatureCodes const& codes;
  SearchedNode const& node;
  int sign;
  double gain_to_beat;  ///< the node's gain plus the cost of the feature
  Bins of_feature;

  __device__ bool HasCut(std::uint32_t bin) const {  // no threshold lies above a bin whose upper bound is infinite
    return bin + 1 < codes.n_bins || isfinite(task.cut_values[codes.first_cut + bin]);
  }

  __device__ void Consider(FixedSum left, std::uint32_t order, BinCandidate* best) const {
    FixedSum const right = node.sum - left;
    if (!HasEnoughHessian(left, gain) || !HasEnoughHessian(right, gain)) return;
    best->Keep(SplitGain(left, right, gain, node.bounds, sign) - gain_to_beat, order, left);
  }

  /// Calls visit(left, order) for the lane's candidates.
  template <typename Visit>
  __device__ void ForEach(LaneBins bins, FixedSum missing, Visit&& visit) const {
    bool const has_missing = !(missing == FixedSum{});
    for (std::uint32_t i = bins.begin; i < bins.end; ++i) {
      std::uint32_t const bin = of_feature.Bin(i);
      FixedSum const cell = of_feature.Sum(i);
      bool const is_empty = cell == FixedSum{};
      if (has_missing && !is_empty) {
        if (bins.seen) visit(bins.before + missing, BinCandidate::Down(bin));
        if (!bins.seen && sign != 0) visit(missing, BinCandidate::kAlone);
      }
      bins.seen = bins.seen || !is_empty;
      bins.before += cell;
      if (!is_empty && HasCut(bin)) visit(bins.before, BinCandidate::Up(bin));
    }
  }

  __device__ BinCandidate Exact(LaneBins const& bins, FixedSum missing) const {
    BinCandidate best;
    ForEach(bins, missing, [&](FixedSum left, std::uint32_t order) { Consider(left, order, &best); });
    return best;
  }

  __device__ BinCandidate Screened(LaneBins const& bins, FixedSum missing) const {
    RoughGain const rough(gain, node.sum, gain_to_beat);
    float floor = rough.Floor();
    ForEach(bins, missing, [&](FixedSum left, std::uint32_t) {
      float const rough_gain = (1.0F - RoughGain::kRoughness) * rough.Of(left);
      if (rough.SurelyAllows(left)) floor = fmaxf(floor, rough_gain);
    });
    floor = WarpMax(floor);
    BinCandidate best;
    ForEach(bins, missing, [&](FixedSum left, std::uint32_t order) {
      if (RoughGain::IsLess(rough.Of(left), floor)) return;
      Consider(left, order, &best);
    });
    return best;
  }

  /// Returns the lane's share of the bins, with sums that include only this part. all (out): the part's totals.
  __device__ LaneBins Divide(WarpBins* all) const {
    std::uint32_t const count = of_feature.Count();
    std::uint32_t const per_lane = (count + 31) / 32;
    LaneBins bins{};
    bins.begin = min(Lane() * per_lane, count);
    bins.end = min(bins.begin + per_lane, count);
    FixedSum own;
    bool holds_rows = false;
    for (std::uint32_t i = bins.begin; i < bins.end; ++i) {
      FixedSum const cell = of_feature.Sum(i);
      own += cell;
      holds_rows = holds_rows || !(cell == FixedSum{});
    }
    unsigned const holding = __ballot_sync(kAllLanes, holds_rows);
    bins.seen = (holding & ((1U << Lane()) - 1U)) != 0;
    FixedSum const inclusive = InclusiveScan(own);
    bins.before = inclusive - own;
    *all = {LastLane(inclusive), holding != 0};
    return bins;
  }

  /// Returns the sum of the rows whose value is missing, given the sum of all bins.
  __device__ FixedSum Missing(FixedSum present) const { return codes.may_miss != 0 ? node.sum - present : FixedSum{}; }

  /// all: totals of the feature's bins.
  __device__ BinCandidate Search(LaneBins const& bins, WarpBins const& all) const {
    FixedSum const missing = Missing(all.sum);
    return RoughGain::Applies(gain) ? Screened(bins, missing) : Exact(bins, missing);
  }
};

/// Returns the best candidate of all lanes.
__device__ __forceinline__ BinCandidate WarpBest(BinCandidate own) {
  double most = own.loss_change;
  std::uint32_t order = own.order;
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    double const other = __shfl_xor_sync(kAllLanes, most, step);
    std::uint32_t const other_order = __shfl_xor_sync(kAllLanes, order, step);
    if (other > most || (other == most && other_order < order)) {
      most = other;
      order = other_order;
    }
  }
  // Orders differ from lane to lane, except for lanes that found nothing.
  int const winner = __ffs(static_cast<int>(__ballot_sync(kAllLanes, own.order == order))) - 1;
  FixedSum const left{__shfl_sync(kAllLanes, own.left.gradient, winner),
                      __shfl_sync(kAllLanes, own.left.hessian, winner)};
  return {most, order, left};
}

}  // namespace kauri::cuda::bin_scan
