/// \file Searches one feature of one node by a block of threads (scan_splits.h). Two splits at a feature compare by a
/// total order, the same as in VectorSplitFinder.
#pragma once

#include <cstdint>

#include "cuda/hist_vector/scan_splits.h"
#include "tree/hist_vector/vector_gain.h"
#include "tree/split_rules.h"

namespace kauri::cuda {

/// Best candidate that a lane, and then a warp, found in one feature.
struct OrderedSplit {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  /// All present rows go right. It loses against every equal candidate.
  static constexpr std::uint32_t kAlone = kNone - 1;
  static constexpr std::uint32_t kDown = 0x80000000U;

  double loss_change = 0.0;
  std::uint32_t order = kNone;  ///< the lowest wins among equal loss changes

  /// Order of a candidate whose missing values go right and whose last left bin is `bin`: the lowest threshold first.
  __device__ static std::uint32_t Up(std::uint32_t bin) { return bin; }
  /// Order of a candidate whose missing values go left and whose first right bin is `bin`: the highest threshold first.
  __device__ static std::uint32_t Down(std::uint32_t bin) { return kAlone - 1 - bin; }
  __device__ static std::uint32_t BinOfDown(std::uint32_t order) { return kAlone - 1 - order; }

  __device__ bool IsThere() const { return order != kNone; }
  __device__ bool IsDown() const { return order >= kDown; }
  __device__ bool IsBetter(OrderedSplit const& other) const {
    return loss_change > other.loss_change || (loss_change == other.loss_change && order < other.order);
  }
  /// Keeps the better one; a loss change must be above 0.
  __device__ void Keep(OrderedSplit const& other) {
    if (other.loss_change > 0.0 && other.IsBetter(*this)) *this = other;
  }
};

__device__ __forceinline__ OrderedSplit BestOfWarp(OrderedSplit best) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    OrderedSplit const other{__shfl_xor_sync(0xFFFFFFFFU, best.loss_change, step),
                             __shfl_xor_sync(0xFFFFFFFFU, best.order, step)};
    if (other.IsBetter(best)) best = other;
  }
  return best;
}

constexpr int kScanWarps = 8;
constexpr int kScanThreads = 32 * kScanWarps;

/// Memory through which the warps of a block exchange results.
struct ScanShared {
  double loss_change[kScanWarps];
  std::uint32_t order[kScanWarps];
  std::uint32_t first[kScanWarps];  ///< first bin with rows in each run, like `last`
  std::uint32_t last[kScanWarps];
  std::uint32_t n_held[kScanWarps];  ///< number of bins with rows; set if thresholds are random
};

/// Returns the bytes of dynamic shared memory: [kScanWarps + 1, n_sums].
constexpr std::size_t ScanBytes(std::uint32_t n_sums) { return (kScanWarps + 1) * sizeof(std::int64_t) * n_sums; }

__device__ __forceinline__ std::uint32_t ScanLane() { return threadIdx.x % 32; }
__device__ __forceinline__ std::uint32_t ScanWarp() { return threadIdx.x / 32; }

__device__ __forceinline__ std::int64_t ScanOfWarp(std::int64_t sum) {
#pragma unroll
  for (unsigned step = 1; step < 32; step *= 2) {
    std::int64_t const other = __shfl_up_sync(0xFFFFFFFFU, sum, step);
    if (ScanLane() >= step) sum += other;
  }
  return sum;
}

/// The gains of a lane's boundaries, over the outputs so far.
struct BoundaryGains {
  double gain = 0.0;
  double hessian_left = 0.0;
  double hessian_right = 0.0;
};

class VectorFeatureScan {
 public:
  /// sums: shared memory of ScanBytes.
  __device__ VectorFeatureScan(ScanTask const& task, std::uint32_t feature, std::int32_t node, ScanShared* shared,
                               std::int64_t* sums)
      : task_(task),
        feature_(feature),
        codes_(task.features[feature]),
        sign_(task.signs == nullptr ? 0 : static_cast<int>(task.signs[feature])),
        shared_(shared),
        before_(sums),
        missing_(sums + kScanWarps * task.n_sums),
        gain_to_beat_(AddCost(task.nodes.data()[node].gain, task.costs, feature)),
        draw_{task.draws, task.nodes.data()[node].draw_key},
        cells_(task.nodes.data()[node].histogram + static_cast<std::uint64_t>(codes_.first_cell) * task.n_sums),
        sums_(task.node_sums + static_cast<std::int64_t>(node) * task.n_sums),
        bounds_(task.bounds == nullptr ? nullptr : task.bounds + static_cast<std::int64_t>(node) * task.n_outputs) {
    std::uint32_t const run = (codes_.n_bins + 32 * kScanWarps - 1) / (32 * kScanWarps) * 32;
    begin_ = min(codes_.n_bins, ScanWarp() * run);
    end_ = min(codes_.n_bins, begin_ + run);
    if (task.least_rows > 1) limit_ = {task.least_rows, sums_[task.n_sums - 1]};
  }

  /// Finds the best split. All threads call it, and get the same result.
  __device__ void Find(OrderedSplit* best) {
    SumRun();
    if (draw_.is_on) CountRun();
    __syncthreads();
    has_missing_ = __syncthreads_or(static_cast<int>(SumRuns())) != 0;
    first_ = shared_->first[0];
    last_ = shared_->last[0];
    for (int warp = 1; warp < kScanWarps; ++warp) {
      first_ = min(first_, shared_->first[warp]);
      if (shared_->first[warp] != kNoBin) last_ = shared_->last[warp];
    }
    if (draw_.is_on) Draw();
    OrderedSplit own;
    if (first_ != kNoBin) {
      for (std::uint32_t bin = begin_; bin < end_; bin += 32) ScanChunk(bin, &own);
    }
    own = BestOfWarp(own);
    if (ScanLane() == 0) {
      shared_->loss_change[ScanWarp()] = own.loss_change;
      shared_->order[ScanWarp()] = own.order;
    }
    __syncthreads();
    for (int warp = 0; warp < kScanWarps; ++warp) best->Keep({shared_->loss_change[warp], shared_->order[warp]});
    __syncthreads();
  }

  __device__ FoundSplit Describe(OrderedSplit const& split) const {
    if (!split.IsThere()) return {};
    float const* const cuts = task_.cut_values + codes_.first_cut;
    if (!split.IsDown()) return {split.loss_change, cuts[split.order], split.order + 1, 0};
    std::uint32_t const bin = split.order == OrderedSplit::kAlone ? first_ : OrderedSplit::BinOfDown(split.order);
    return {split.loss_change, bin > 0 ? cuts[bin - 1] : task_.min_values[feature_], bin, 1};
  }

 private:
  static constexpr std::uint32_t kNoBin = 0xFFFFFFFFU;
  static constexpr std::uint32_t kAtOnce = 8;

  /// Sums the bins of the warp's run, and finds its first and last bin with rows.
  __device__ void SumRun() {
    std::uint32_t first = kNoBin;
    std::uint32_t last = 0;
    for (std::uint32_t from = 0; from < task_.n_sums; from += 32) {
      std::uint32_t const place = from + ScanLane();
      std::int64_t sum = 0;
      for (std::uint32_t bin = begin_; bin < end_; bin += kAtOnce) SumBins(bin, place, &sum, &first, &last);
      if (place < task_.n_sums) before_[ScanWarp() * task_.n_sums + place] = sum;
    }
    if (ScanLane() != 0) return;
    shared_->first[ScanWarp()] = first;
    shared_->last[ScanWarp()] = last;
  }

  /// Sums kAtOnce bins, with all loads in flight at the same time.
  __device__ void SumBins(std::uint32_t first_bin, std::uint32_t place, std::int64_t* sum, std::uint32_t* first,
                          std::uint32_t* last) const {
    std::int64_t values[kAtOnce];
#pragma unroll
    for (std::uint32_t i = 0; i < kAtOnce; ++i) {
      bool const is_there = first_bin + i < end_ && place < task_.n_sums;
      values[i] = is_there ? cells_[static_cast<std::uint64_t>(first_bin + i) * task_.n_sums + place] : 0;
    }
#pragma unroll
    for (std::uint32_t i = 0; i < kAtOnce; ++i) {
      *sum += values[i];
      if (__any_sync(0xFFFFFFFFU, values[i] != 0) == 0) continue;
      *first = min(*first, first_bin + i);
      *last = max(*last, first_bin + i);
    }
  }

  __device__ bool HoldsRows(std::uint32_t bin) const {
    std::int64_t const* const sums = cells_ + static_cast<std::uint64_t>(bin) * task_.n_sums;
    for (std::uint32_t place = 0; place < task_.n_sums; ++place) {
      if (sums[place] != 0) return true;
    }
    return false;
  }

  /// Counts the bins of the warp's run that hold rows.
  __device__ void CountRun() {
    std::uint32_t n_held = 0;
    for (std::uint32_t bin = begin_; bin < end_; bin += 32) {
      bool const holds_rows = bin + ScanLane() < end_ && HoldsRows(bin + ScanLane());
      n_held += static_cast<std::uint32_t>(__popc(__ballot_sync(0xFFFFFFFFU, holds_rows)));
    }
    if (ScanLane() == 0) shared_->n_held[ScanWarp()] = n_held;
  }

  /// Draws the boundaries to search; boundary i is behind the i-th bin with rows.
  __device__ void Draw() {
    std::uint32_t n_held = 0;
    for (std::uint32_t warp = 0; warp < kScanWarps; ++warp) {
      if (warp == ScanWarp()) n_held_before_ = n_held;
      n_held += shared_->n_held[warp];
    }
    between_ = draw_.RangeOf(feature_, std::int64_t{n_held} - 1);
  }

  /// Replaces the sums of the runs by the sums before each run, and computes the sums of missing values. Returns
  /// whether this thread saw missing values.
  __device__ bool SumRuns() {
    bool misses = false;
    for (std::uint32_t place = threadIdx.x; place < task_.n_sums; place += kScanThreads) {
      std::int64_t sum = 0;
      for (int warp = 0; warp < kScanWarps; ++warp) {
        std::int64_t* const before = before_ + warp * task_.n_sums + place;
        std::int64_t const of_run = *before;
        *before = sum;
        sum += of_run;
      }
      std::int64_t const missing = sums_[place] - sum;
      missing_[place] = missing;
      misses = misses || missing != 0;
    }
    return misses;
  }

  /// A lane's sums at one place.
  struct PlaceSums {
    std::int64_t own;
    std::int64_t up_to;  ///< including the bins before
  };

  __device__ PlaceSums Scan(std::uint32_t bin, std::uint32_t place) const {
    std::int64_t const own = bin < end_ ? cells_[static_cast<std::uint64_t>(bin) * task_.n_sums + place] : 0;
    std::int64_t* const before = before_ + ScanWarp() * task_.n_sums + place;
    std::int64_t const up_to = *before + ScanOfWarp(own);
    if (bin - ScanLane() + 32 < end_) {  // the run continues
      __syncwarp();
      if (ScanLane() == 31) *before = up_to;
      __syncwarp();
    }
    return {own, up_to};
  }

  __device__ void AddOutput(std::uint32_t output, FixedSum left, BoundaryGains* gains) const {
    GainParam param = task_.gain;
    param.unit = task_.units[output];
    if (task_.free_outputs != nullptr && task_.free_outputs[output] != 0) param.monotone = false;
    FixedSum const right = SumOf(sums_, output) - left;
    auto const bounds = bounds_ == nullptr ? WeightBounds{} : bounds_[output];
    gains->gain += OutputSplitGain(left, right, param, bounds, sign_);
    gains->hessian_left += HessianOf(left, param);
    gains->hessian_right += HessianOf(right, param);
  }

  __device__ void ScanChunk(std::uint32_t first_bin, OrderedSplit* best) {
    std::uint32_t const bin = first_bin + ScanLane();
    bool const is_shared = task_.n_hessians == 1;
    PlaceSums hessian{};
    if (is_shared) hessian = Scan(bin, task_.n_outputs);
    BoundaryGains up;
    BoundaryGains down;
    bool holds_rows = hessian.own != 0;
    for (std::uint32_t output = 0; output < task_.n_outputs; ++output) {
      PlaceSums const gradient = Scan(bin, output);
      if (!is_shared) hessian = Scan(bin, task_.n_outputs + output);
      holds_rows = holds_rows || gradient.own != 0 || hessian.own != 0;
      FixedSum const left{gradient.up_to, hessian.up_to};
      AddOutput(output, left, &up);
      if (!has_missing_) continue;
      FixedSum const own{gradient.own, hessian.own};
      AddOutput(output, left - own + SumOf(missing_, output), &down);
    }
    LookedAt looked_at;
    if (limit_.IsOn()) LimitRows(bin, &holds_rows, &looked_at);
    if (draw_.is_on) KeepDrawn(bin, holds_rows, &looked_at);
    if (holds_rows) Consider(bin, looked_at, up, down, best);
  }

  /// Candidates of a bin that are searched.
  struct LookedAt {
    bool up = true;
    bool down = true;
  };

  __device__ void LimitRows(std::uint32_t bin, bool* holds_rows, LookedAt* looked_at) const {
    std::uint32_t const place = task_.n_sums - 1;
    PlaceSums const n_rows = Scan(bin, place);
    *holds_rows = *holds_rows || n_rows.own != 0;
    looked_at->up = limit_.Allows(n_rows.up_to);
    looked_at->down = limit_.Allows(n_rows.up_to - n_rows.own + missing_[place]);
  }

  /// Drops candidates that were not drawn. Separating the missing values from all others is not a threshold, so it is
  /// always kept.
  __device__ void KeepDrawn(std::uint32_t bin, bool holds_rows, LookedAt* looked_at) {
    unsigned const held = __ballot_sync(0xFFFFFFFFU, holds_rows);
    std::int64_t const number = n_held_before_ + __popc(held & ((1U << ScanLane()) - 1U));
    auto const is_drawn = [&](std::int64_t boundary) { return boundary >= between_.first && boundary < between_.end; };
    looked_at->up = looked_at->up && (bin == last_ || is_drawn(number));
    looked_at->down = looked_at->down && (bin == first_ || is_drawn(number - 1));
    n_held_before_ += __popc(held);
  }

  /// Tries the candidates at a bin with rows. No threshold lies above a bin whose upper bound is infinite.
  __device__ void Consider(std::uint32_t bin, LookedAt const& looked_at, BoundaryGains const& up,
                           BoundaryGains const& down, OrderedSplit* best) const {
    bool const splits_off_missing = has_missing_ && isfinite(task_.cut_values[codes_.first_cut + bin]);
    if (looked_at.up && (bin != last_ || splits_off_missing)) Keep(up, OrderedSplit::Up(bin), best);
    if (!has_missing_ || !looked_at.down) return;
    if (bin != first_) Keep(down, OrderedSplit::Down(bin), best);
    if (bin == first_ && sign_ != 0) Keep(down, OrderedSplit::kAlone, best);
  }

  __device__ void Keep(BoundaryGains const& gains, std::uint32_t order, OrderedSplit* best) const {
    auto const n_outputs = static_cast<double>(task_.n_outputs);
    if (!(gains.hessian_left / n_outputs >= task_.min_child_weight)) return;
    if (!(gains.hessian_right / n_outputs >= task_.min_child_weight)) return;
    best->Keep({gains.gain - gain_to_beat_, order});
  }

  __device__ FixedSum SumOf(std::int64_t const* sums, std::uint32_t output) const {
    bool const is_shared = task_.n_hessians == 1;
    return {sums[output], sums[task_.n_outputs + (is_shared ? 0 : output)]};
  }

  ScanTask const& task_;
  std::uint32_t feature_;
  FeatureCodes const& codes_;
  int sign_;
  ScanShared* shared_;
  std::int64_t* before_;   ///< [kScanWarps, n_sums]: sums before each warp's next bins
  std::int64_t* missing_;  ///< [n_sums]
  double gain_to_beat_;    ///< the node's gain plus the cost of the feature
  ThresholdDraw draw_;
  std::int64_t const* cells_;  ///< of the feature
  std::int64_t const* sums_;   ///< of the node
  WeightBounds const* bounds_;
  std::uint32_t begin_;  ///< bounds of the warp's run
  std::uint32_t end_;
  bool has_missing_ = false;
  std::uint32_t first_ = kNoBin;  ///< first and last bin with rows
  std::uint32_t last_ = 0;
  RowLimit limit_;
  BoundaryRange between_;           ///< boundaries to search, if thresholds are random
  std::int64_t n_held_before_ = 0;  ///< number of bins with rows before the warp's next bins
};

}  // namespace kauri::cuda
