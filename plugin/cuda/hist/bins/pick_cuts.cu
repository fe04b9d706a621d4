#include <cstddef>
#include <cstdint>

#include "cuda/hist/bins/column_sorter.h"
#include "cuda/hist/bins/pick_cuts.cuh"
#include "cuda/hist/bins/warp_search.cuh"
#include "data/sketch/weighted_keys.h"
#include "kauri/span.h"

namespace kauri::cuda {
namespace {

// Many following boundaries found with one read of sorted keys, for a warp whose lanes all make the same calls. The
// traversal of a column waits for memory at every step. In columns of many values two methods avoid this:
// 1. A window of 128 adjacent keys has a boundary nearly everywhere.
// 2. Steps of rank are nearly even, so 32 of them are read together, one per lane, with the keys beside each.
// If keys come in runs, neither method finds much, and it is not used.

/// Boundaries among 128 adjacent keys.
class KeyWindow {
 public:
  /// Returns the first boundary after `boundary`, where n_keys is the last; 0 if 128 equal keys follow `boundary`.
  __device__ std::size_t Next(std::uint32_t const* keys, std::size_t n_keys, std::size_t boundary) {
    auto const from = boundary + 1;
    if (first_ == 0 || from < first_ || from >= first_ + kKeys) Load(keys, n_keys, from);
    auto const found = FirstFrom(from);
    if (found > 0 || first_ == from) return found;
    Load(keys, n_keys, from);
    return FirstFrom(from);
  }

  static constexpr unsigned kKeys = 128;

 private:
  static constexpr unsigned kLanes = 32;
  static constexpr unsigned kWords = kKeys / kLanes;

  /// Returns the first boundary of the window at or after `from`; 0 if there is none.
  __device__ std::size_t FirstFrom(std::size_t from) const {
    auto const skipped = static_cast<unsigned>(from - first_);
    std::size_t found = 0;
#pragma unroll
    for (unsigned i = kWords; i-- > 0;) {  // descends, so that the first boundary is assigned last
      auto const before = skipped > i * kLanes ? min(skipped - i * kLanes, kLanes) : 0;
      auto const begins = before < kLanes ? is_boundary_[i] >> before << before : 0;
      if (begins != 0) found = first_ + i * kLanes + __ffs(static_cast<int>(begins)) - 1;
    }
    return found;
  }

  /// Loads keys [first, first + 128); a key must precede the first. The end counts as a boundary.
  __device__ void Load(std::uint32_t const* keys, std::size_t n_keys, std::size_t first) {
    bool begins[kWords];
#pragma unroll
    for (unsigned i = 0; i < kWords; ++i) {
      auto const at = first + i * kLanes + threadIdx.x % kLanes;
      begins[i] = at >= n_keys || keys[at] != keys[at - 1];
    }
#pragma unroll
    for (unsigned i = 0; i < kWords; ++i) is_boundary_[i] = __ballot_sync(0xFFFFFFFFU, begins[i]);
    first_ = first;
  }

  std::size_t first_ = 0;  ///< 0: nothing is loaded
  std::uint32_t is_boundary_[kWords] = {};
};

/// Finds out whether the next steps of even rank end at boundaries.
class StepsAhead {
 public:
  /// Returns whether `at`, where `rank` ends, is known to be a boundary. Reads ahead if that pays.
  __device__ bool KnowsBoundary(std::uint32_t const* keys, std::size_t n_keys, std::size_t at, double rank) {
    auto found = __ballot_sync(0xFFFFFFFFU, Covers(at));
    if (found == 0 && pays_ && n_keys > kBeside) {
      Load(keys, n_keys, rank);
      found = __ballot_sync(0xFFFFFFFFU, Covers(at));
    }
    last_rank_ = rank;
    auto const begins = Covers(at) ? is_boundary_ >> (at - first_) & 1U : 0U;
    return found != 0 && __shfl_sync(0xFFFFFFFFU, begins, __ffs(static_cast<int>(found)) - 1) != 0;
  }
  /// Notes whether a step with unknown result ended at a boundary, which makes it likely for the next steps.
  __device__ void Note(bool ends_at_boundary) { pays_ = ends_at_boundary; }

 private:
  static constexpr unsigned kLanes = 32;
  static constexpr unsigned kBeside = 3;  ///< places per lane: the expected end of its step, and one on each side

  __device__ bool Covers(std::size_t at) const { return first_ > 0 && at >= first_ && at < first_ + kBeside; }

  /// Each lane reads the place where its step would end if steps are as wide as the last one.
  __device__ void Load(std::uint32_t const* keys, std::size_t n_keys, double rank) {
    auto const guess = rank + (rank - last_rank_) * (threadIdx.x % kLanes);
    auto const most = n_keys - (kBeside - 1);
    auto const at = guess < static_cast<double>(most) ? static_cast<std::size_t>(guess) : most;
    first_ = at > 2 ? at - 1 : 1;
    is_boundary_ = 0;
#pragma unroll
    for (unsigned i = 0; i < kBeside; ++i) {
      auto const place = first_ + i;
      is_boundary_ |= place < n_keys && keys[place] != keys[place - 1] ? 1U << i : 0U;
    }
  }

  double last_rank_ = 0.0;
  bool pays_ = true;
  std::size_t first_ = 0;  ///< first of this lane's places; 0: it has none
  std::uint32_t is_boundary_ = 0;
};

/// The boundaries of data/sketch/rank_cuts.h among the first n_keys sorted keys, which are the keys of numbers. All
/// lanes of a warp make the same calls (warp_search.cuh).
class WarpBoundaries {
 public:
  __device__ WarpBoundaries(SortedKeys const& sorted, std::size_t n_keys) : sorted_(sorted), n_keys_(n_keys) {}

  __device__ std::size_t End() const { return n_keys_; }
  __device__ float Value(std::size_t boundary) const { return FromKey(sorted_.keys[boundary]); }
  __device__ double Rank(std::size_t boundary) const {
    return sorted_.below == nullptr ? static_cast<double>(boundary) : static_cast<double>(sorted_.below[boundary]);
  }
  __device__ std::size_t Next(std::size_t boundary) const {
    if (keys_differ_) {
      auto const next = window_.Next(sorted_.keys, n_keys_, boundary);
      if (next > 0) return next;
    }
    auto const* const here = sorted_.keys + boundary;
    auto const key = *here;
    auto const length = WarpSearch::RunLength(n_keys_ - boundary, [&](std::size_t far) { return here[far] != key; });
    keys_differ_ = length < KeyWindow::kKeys;
    return boundary + length;
  }
  __device__ std::size_t LastUpTo(double rank) const {
    if (sorted_.below != nullptr) return FirstAlike(LastAtRank(rank));
    auto const at = min(static_cast<std::size_t>(rank), n_keys_ - 1);
    if (ahead_.KnowsBoundary(sorted_.keys, n_keys_, at, rank)) return at;
    auto const first = FirstAlike(at);
    ahead_.Note(first == at);
    return first;
  }

 private:
  /// Returns the last key with no more than `rank` below it.
  __device__ std::size_t LastAtRank(double rank) const {
    auto const is_beyond = [&](std::size_t at) { return static_cast<double>(sorted_.below[at]) > rank; };
    return WarpSearch::FindFirst(1, n_keys_, is_beyond) - 1;
  }

  /// Returns the start of the run of keys that equal the key at `at`.
  __device__ std::size_t FirstAlike(std::size_t at) const {
    auto const* const here = sorted_.keys + at;
    auto const key = *here;
    return at + 1 - WarpSearch::RunLength(at + 1, [&](std::size_t far) { return *(here - far) != key; });
  }

  SortedKeys sorted_;
  std::size_t n_keys_;
  // Caches; the results do not depend on them.
  mutable KeyWindow window_;
  mutable StepsAhead ahead_;
  mutable bool keys_differ_ = true;  ///< the last run of equal keys was shorter than a window
};

struct KeyColumns {
  SortedKeys const* sorted;

  __device__ WarpBoundaries Of(std::int64_t col, ColumnSummary const& summary) const {
    return WarpBoundaries(sorted[col], summary.n_keys);
  }
};

FeatureCuts ToFeature(ColumnSummary const& summary, float const* cuts, std::uint32_t n_cuts) {
  FeatureCuts feature;
  feature.n_values = static_cast<std::int64_t>(summary.n_values);
  if (feature.n_values == 0) return feature;
  feature.min = FromKey(summary.least);
  feature.max = FromKey(summary.largest);
  feature.values.assign(cuts, cuts + n_cuts);
  return feature;
}

}  // namespace

void PickCuts(CudaContext const& cuda, SortedKeys const* sorted, PickCutsTask const& task) {
  PickFrom(cuda, KeyColumns{sorted}, task);
}

void AppendFeatures(CudaContext const& cuda, PickCutsTask const& task, std::vector<FeatureCuts>* features) {
  auto const n_cuts = ToHost(cuda, task.n_cuts, ToSize(task.n_cols));
  auto const summaries = ToHost(cuda, task.summaries, ToSize(task.n_cols));
  auto const cuts = ToHost(cuda, task.cuts, ToSize(task.n_cols * task.most_cuts));
  for (std::size_t col = 0; col < ToSize(task.n_cols); ++col) {
    features->push_back(ToFeature(summaries[col], cuts.data() + col * ToSize(task.most_cuts), n_cuts[col]));
  }
}

}  // namespace kauri::cuda
