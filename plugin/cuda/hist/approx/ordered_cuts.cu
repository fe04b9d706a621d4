/// The columns are scanned as one: ranks continue from one column to the next, and wrap around on overflow.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cub/device/device_scan.cuh>

#include "cuda/common/launch.h"
#include "cuda/hist/approx/ordered_cuts.h"
#include "cuda/hist/bins/pick_cuts.cuh"
#include "cuda/hist/bins/warp_search.cuh"
#include "data/sketch/weighted_keys.h"
#include "kauri/span.h"

namespace kauri::cuda {
namespace {

constexpr unsigned kLanes = 32;
constexpr unsigned kKeysPerLane = 4;
constexpr unsigned kStretch = kLanes * kKeysPerLane;  ///< keys of a stretch
constexpr unsigned kAllLanes = 0xFFFFFFFFU;
constexpr std::int64_t kMostGridRows = 65535;

/// The weights of rows in units. Rows with negative weight count as rows with zero weight.
struct RowUnits {
  float const* weights;
  WeightUnit unit;

  __device__ std::uint64_t Of(std::uint32_t row) const {
    auto const weight = weights[row];
    return weight > 0.0F ? static_cast<std::uint64_t>(unit.Of(weight)) : 0;
  }
};

/// One column. Its ranks may have wrapped around: only their differences are meaningful.
struct RankedColumn {
  std::uint32_t const* keys;   ///< [n_rows], ascending
  std::uint32_t const* rows;   ///< [n_rows]
  std::uint64_t const* ranks;  ///< [number of stretches + 1], the weight before each stretch
  std::size_t n_rows;
  RowUnits units;
};

/// The keys of a stretch and the ranks behind them, in the registers of a warp: lane l has keys l, l + 32, ... All
/// lanes make the same calls.
class Stretch {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};

  /// Loads stretch `number`, unless it is loaded already.
  __device__ void Load(RankedColumn const& column, std::size_t number) {
    if (number == number_) return;
    number_ = number;
#pragma unroll
    for (unsigned i = 0; i < kKeysPerLane; ++i) {
      auto const at = At(i);
      keys_[i] = at < column.n_rows ? column.keys[at] : kNoKey;
      upto_[i] = at < column.n_rows ? column.units.Of(column.rows[at]) : 0;
    }
    AddUp(column.ranks[number]);
  }
  /// Returns the key at a place of the stretch.
  __device__ std::uint32_t KeyAt(std::size_t at) const { return Pick(keys_, at); }
  /// Returns the rank behind that key.
  __device__ std::uint64_t RankBehind(std::size_t at) const { return Pick(upto_, at); }
  /// Returns how many places of the stretch `holds` does not hold for. holds(place, key, rank behind it).
  template <typename Holds>
  __device__ unsigned CountFalse(Holds const& holds) const {
    unsigned n_false = 0;
#pragma unroll
    for (unsigned i = 0; i < kKeysPerLane; ++i) {
      n_false += __popc(__ballot_sync(kAllLanes, !holds(At(i), keys_[i], upto_[i])));
    }
    return n_false;
  }
  __device__ std::size_t First() const { return number_ * kStretch; }

 private:
  __device__ static unsigned Lane() { return threadIdx.x % kLanes; }
  __device__ std::size_t At(unsigned i) const { return number_ * kStretch + i * kLanes + Lane(); }

  /// Turns units into ranks.
  __device__ void AddUp(std::uint64_t before) {
#pragma unroll
    for (unsigned distance = 1; distance < kLanes; distance *= 2) {
#pragma unroll
      for (auto& sum : upto_) {
        auto const other = __shfl_up_sync(kAllLanes, static_cast<unsigned long long>(sum), distance);
        if (Lane() >= distance) sum += other;
      }
    }
#pragma unroll
    for (auto& sum : upto_) {
      sum += before;
      before = __shfl_sync(kAllLanes, static_cast<unsigned long long>(sum), kLanes - 1);
    }
  }

  template <typename T>
  __device__ T Pick(T const (&values)[kKeysPerLane], std::size_t at) const {
    auto const number = static_cast<unsigned>(at - First());
    T own = values[0];
#pragma unroll
    for (unsigned i = 1; i < kKeysPerLane; ++i) own = number / kLanes == i ? values[i] : own;
    if constexpr (sizeof(T) == sizeof(unsigned long long)) {
      return __shfl_sync(kAllLanes, static_cast<unsigned long long>(own), number % kLanes);
    } else {
      return __shfl_sync(kAllLanes, own, number % kLanes);
    }
  }

  std::size_t number_ = kNone;
  std::uint32_t keys_[kKeysPerLane];
  std::uint64_t upto_[kKeysPerLane];
};

/// The boundaries of data/sketch/rank_cuts.h in a column whose keys may have zero weight, for a warp whose lanes all
/// make the same calls (bins/warp_search.cuh). A boundary is the first key of a value some of whose keys have weight;
/// boundaries are counted from the first key with weight.
class OrderedBoundaries {
 public:
  /// n_values: number of keys that are no missing values.
  __device__ OrderedBoundaries(RankedColumn const& column, std::size_t n_values) : column_(column) {
    auto const none = column.ranks[0];
    auto const all = RankBefore(n_values);
    base_ = none;
    if (none == all) return;
    first_ = FirstWhere(0, n_values, [&](std::uint64_t rank) { return rank != none; });
    end_ = FirstWhere(first_, n_values, [&](std::uint64_t rank) { return rank == all; }) + 1;
  }

  __device__ std::size_t End() const { return end_ - first_; }
  __device__ float Value(std::size_t boundary) const { return FromKey(KeyAt(first_ + boundary)); }
  __device__ double Rank(std::size_t boundary) const { return FromBase(RankBefore(first_ + boundary)); }
  __device__ std::size_t Next(std::size_t boundary) const {
    auto const next = EndOfRun(first_ + boundary);
    if (next == end_) return End();
    auto const before = RankBefore(next);
    if (RankBefore(next + 1) != before) return next - first_;
    return FirstAlike(FirstWhere(next, end_, [&](std::uint64_t rank) { return rank != before; })) - first_;
  }
  __device__ std::size_t LastUpTo(double rank) const {
    return FirstAlike(FirstWhere(first_, end_ - 1, [&](std::uint64_t behind) { return FromBase(behind) > rank; })) -
           first_;
  }

 private:
  __device__ double FromBase(std::uint64_t rank) const {
    return static_cast<double>(static_cast<std::int64_t>(rank - base_));
  }
  __device__ std::uint32_t KeyAt(std::size_t at) const {
    stretch_.Load(column_, at / kStretch);
    return stretch_.KeyAt(at);
  }
  /// Returns the weight before a place, which may be the end of the column.
  __device__ std::uint64_t RankBefore(std::size_t at) const {
    if (at % kStretch == 0) return column_.ranks[at / kStretch];
    stretch_.Load(column_, at / kStretch);
    return stretch_.RankBehind(at - 1);
  }

  /// Returns the first place of [begin, end) behind which the rank satisfies is_true, otherwise `end`. is_true also
  /// holds for all ranks after the first.
  template <typename IsTrue>
  __device__ std::size_t FirstWhere(std::size_t begin, std::size_t end, IsTrue const& is_true) const {
    if (begin >= end) return end;
    auto const last = (end - 1) / kStretch;
    auto const number = WarpSearch::FindFirst(begin / kStretch, last,
                                              [&](std::size_t stretch) { return is_true(column_.ranks[stretch + 1]); });
    stretch_.Load(column_, number);
    auto const n_false = stretch_.CountFalse([&](std::size_t at, std::uint32_t, std::uint64_t behind) {
      return at >= begin && (at >= end || is_true(behind));
    });
    return min(end, number * kStretch + n_false);
  }

  /// Returns the first place after `at` with another key, otherwise the end.
  __device__ std::size_t EndOfRun(std::size_t at) const {
    auto const key = KeyAt(at);
    auto const is_other = [&](std::size_t place, std::uint32_t other, std::uint64_t) {
      return place >= end_ || (place > at && other != key);
    };
    auto const found = stretch_.First() + stretch_.CountFalse(is_other);
    if (found >= end_) return end_;
    if (found < stretch_.First() + kStretch) return found;
    auto const* const here = column_.keys + at;
    return at + WarpSearch::RunLength(end_ - at, [&](std::size_t distance) { return here[distance] != key; });
  }

  /// Returns the first of the places whose keys equal the key at `at`, from the first key with weight on.
  __device__ std::size_t FirstAlike(std::size_t at) const {
    auto const key = KeyAt(at);
    auto const is_alike = [&](std::size_t place, std::uint32_t other, std::uint64_t) {
      return place >= at || (place >= first_ && other == key);
    };
    auto const found = stretch_.First() + stretch_.CountFalse(is_alike);
    if (found > stretch_.First() || found <= first_) return found;
    auto const* const here = column_.keys + at;
    auto const limit = at + 1 - first_;
    return at + 1 - WarpSearch::RunLength(limit, [&](std::size_t distance) { return *(here - distance) != key; });
  }

  RankedColumn column_;
  std::uint64_t base_ = 0;  ///< rank of the column's first key
  std::size_t first_ = 0;   ///< first key with weight
  std::size_t end_ = 0;     ///< behind the last key with weight
  mutable Stretch stretch_;
};

struct RankedColumns {
  std::uint32_t const* keys;   ///< [n_cols, n_rows]
  std::uint32_t const* rows;   ///< [n_cols, n_rows]
  std::uint64_t const* ranks;  ///< [n_cols * n_stretches + 1]
  std::size_t n_rows;
  std::size_t n_stretches;  ///< of a column
  RowUnits units;

  __device__ RankedColumn Column(std::size_t col) const {
    return {keys + col * n_rows, rows + col * n_rows, ranks + col * n_stretches, n_rows, units};
  }
  __device__ OrderedBoundaries Of(std::int64_t col, ColumnSummary const& summary) const {
    return OrderedBoundaries(Column(static_cast<std::size_t>(col)), summary.n_values);
  }
};

/// Writes the weight of each stretch, [n_cols * n_stretches]. A warp adds up a stretch; a row of blocks has a column.
__global__ void __launch_bounds__(kBlockThreads)
    StretchKernel(RankedColumns columns, std::int64_t n_cols, std::uint64_t* sums) {
  auto const stretch = (static_cast<std::size_t>(blockIdx.x) * kBlockThreads + threadIdx.x) / kLanes;
  if (stretch >= columns.n_stretches) return;
  auto const lane = threadIdx.x % kLanes;
  auto const first = stretch * kStretch + lane;
  for (std::size_t col = blockIdx.y; col < static_cast<std::size_t>(n_cols); col += gridDim.y) {
    auto const* const rows = columns.rows + col * columns.n_rows;
    std::uint32_t numbers[kKeysPerLane];
#pragma unroll
    for (unsigned i = 0; i < kKeysPerLane; ++i) {
      auto const at = first + i * kLanes;
      numbers[i] = at < columns.n_rows ? rows[at] : 0;
    }
    unsigned long long sum = 0;
#pragma unroll
    for (unsigned i = 0; i < kKeysPerLane; ++i) {
      auto const units = columns.units.Of(numbers[i]);
      sum += first + i * kLanes < columns.n_rows ? units : 0;
    }
#pragma unroll
    for (unsigned distance = kLanes / 2; distance > 0; distance /= 2) {
      sum += __shfl_xor_sync(kAllLanes, sum, distance);
    }
    if (lane == 0) sums[col * columns.n_stretches + stretch] = sum;
  }
}

constexpr unsigned kPickWarps = 16;
/// Maximum number of bins of a column whose steps are taken at once.
constexpr std::uint32_t kMostAtOnce = 1024;

/// The boundaries that the steps of EvenCuts reach if none of them depends on the one before, and their values.
struct SharedSteps {
  std::uint32_t boundaries[kMostAtOnce];
  float values[kMostAtOnce];
};

/// Takes every n_warps-th step of EvenCuts from step `warp` on.
__device__ void TakeSteps(OrderedBoundaries const& column, std::uint32_t n_bins, unsigned warp, unsigned n_warps,
                          SharedSteps* steps) {
  auto const total = column.Rank(column.End());
  double reached = 0.0;
  for (auto bins_left = n_bins; bins_left > 1; --bins_left) {
    reached += (total - reached) / bins_left;
    auto const step = n_bins - bins_left;
    if (step % n_warps != warp) continue;
    auto const boundary = column.LastUpTo(reached);
    auto const value = column.Value(boundary);
    steps->boundaries[step] = static_cast<std::uint32_t>(boundary);
    steps->values[step] = value;
  }
}

/// Returns, to all threads of the block, whether each step reaches a boundary beyond the one before.
__device__ bool AllStepsAdvance(SharedSteps const& steps, std::uint32_t n_bins) {
  bool all = true;
  for (std::uint32_t step = threadIdx.x; step + 1 < n_bins; step += kPickWarps * kLanes) {
    all = all && steps.boundaries[step] > (step == 0 ? 0 : steps.boundaries[step - 1]);
  }
  return __syncthreads_and(all ? 1 : 0) != 0;
}

/// MakeCuts of data/sketch/rank_cuts.h by the warps of a block. The first one looks for few distinct values while the
/// others take the even steps at once. Only if a value fills a step by itself, the first warp takes one step after the
/// other.
__global__ void __launch_bounds__(kPickWarps* kLanes) PickAtOnceKernel(RankedColumns columns, PickCutsTask task) {
  __shared__ SharedSteps steps;
  __shared__ bool is_distinct;
  auto const col = static_cast<std::int64_t>(blockIdx.x);
  auto const summary = task.summaries[col];
  auto const column = columns.Of(col, summary);
  auto const n_bins = NumEvenBins(summary.n_values < static_cast<unsigned long long>(task.n_rows), task.max_bin);
  auto const at_once = n_bins <= kMostAtOnce;
  auto const warp = threadIdx.x / kLanes;
  CutList cuts(task.cuts + col * task.most_cuts);
  if (warp == 0) {
    auto const found = DistinctCuts(column, task.max_bin, &cuts);
    if (threadIdx.x == 0) is_distinct = found;
  } else if (at_once && column.End() > 0) {
    TakeSteps(column, n_bins, warp - 1, kPickWarps - 1, &steps);
  }
  __syncthreads();
  if (!is_distinct && at_once && AllStepsAdvance(steps, n_bins)) {
    auto* const to = task.cuts + col * task.most_cuts;
    for (std::uint32_t step = threadIdx.x; step + 1 < n_bins; step += kPickWarps * kLanes)
      to[step] = steps.values[step];
    if (threadIdx.x == 0) task.n_cuts[col] = n_bins - 1;
    return;
  }
  if (warp != 0) return;
  if (!is_distinct) EvenCuts(column, n_bins, &cuts);
  if (threadIdx.x == 0) task.n_cuts[col] = static_cast<std::uint32_t>(cuts.size());
}

std::size_t NumStretches(std::int64_t n_rows) { return (ToSize(n_rows) + kStretch - 1) / kStretch; }

std::int64_t MostCuts(std::int64_t n_rows, std::uint32_t max_bin) {
  return std::max<std::int64_t>(1, std::min<std::int64_t>(max_bin - 1, n_rows));
}

}  // namespace

std::size_t OrderedCutBytes(std::int64_t n_rows, std::int64_t n_cols, std::uint32_t max_bin) {
  constexpr std::size_t kScratch = std::size_t{8} << 20U;
  auto const per_column = sizeof(std::uint64_t) * NumStretches(n_rows) +
                          sizeof(float) * ToSize(MostCuts(n_rows, max_bin)) + sizeof(std::uint32_t);
  return ToSize(n_cols) * per_column + kScratch;
}

struct OrderedCutter::Memory {
  PickCutsTask pick{};
  Buffer<std::uint64_t> ranks;  ///< [n_cols * n_stretches + 1]
  Buffer<float> cuts;
  Buffer<std::uint32_t> n_cuts;
  CubScratch scratch;
};

OrderedCutter::OrderedCutter() : memory_(std::make_unique<Memory>()) {}
OrderedCutter::~OrderedCutter() = default;

void OrderedCutter::Begin(CudaContext const& cuda, OrderedColumns const& columns, OrderedCutTask const& task) {
  auto& own = *memory_;
  auto const n_stretches = NumStretches(columns.n_rows);
  auto const n_all = n_stretches * ToSize(columns.n_cols);
  auto const most_cuts = MostCuts(columns.n_rows, task.max_bin);
  own.ranks.Reserve(cuda, n_all + 1);
  own.cuts.Reserve(cuda, ToSize(columns.n_cols * most_cuts));
  own.n_cuts.Reserve(cuda, ToSize(columns.n_cols));
  own.pick = {columns.summaries.data(), columns.n_cols,   columns.n_rows, task.max_bin, most_cuts,
              own.cuts.data(),          own.n_cuts.data()};
  if (columns.n_cols == 0) return;
  RowUnits const units{task.weights.data(), WeightUnit(task.largest, columns.n_rows)};
  RankedColumns const ranked{columns.keys.data(),    columns.rows.data(), own.ranks.data(),
                             ToSize(columns.n_rows), n_stretches,         units};
  auto* const behind = own.ranks.data() + 1;
  FillZero(cuda, own.ranks.data(), 1);
  auto const n_rows_of_blocks = static_cast<unsigned>(std::min(columns.n_cols, kMostGridRows));
  dim3 const grid(GridFor(static_cast<std::int64_t>(n_stretches), kBlockThreads / kLanes), n_rows_of_blocks);
  LaunchGrid(cuda, grid, kBlockThreads, StretchKernel, ranked, columns.n_cols, behind);
  own.scratch.Run(cuda, [&](void* temp, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(temp, bytes, behind, behind, static_cast<std::int64_t>(n_all), cuda.stream);
  });
  Launch(cuda, static_cast<unsigned>(columns.n_cols), kPickWarps * kLanes, PickAtOnceKernel, ranked, own.pick);
}

void OrderedCutter::Collect(CudaContext const& cuda, std::vector<FeatureCuts>* features) const {
  AppendFeatures(cuda, memory_->pick, features);
}

}  // namespace kauri::cuda
