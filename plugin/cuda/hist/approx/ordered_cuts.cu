/// The columns of a chunk are scanned as one: ranks continue from one column to the next, and wrap around on overflow.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cub/device/device_scan.cuh>
#include <iterator>

#include "cuda/common/launch.h"
#include "cuda/hist/approx/ordered_cuts.h"
#include "cuda/hist/bins/pick_cuts.cuh"
#include "cuda/hist/bins/warp_search.cuh"
#include "data/sketch/weighted_keys.h"
#include "kauri/span.h"

namespace kauri::cuda {
namespace {

/// The boundaries of data/sketch/rank_cuts.h in a column whose keys may have zero weight, for a warp whose lanes all
/// make the same calls (bins/warp_search.cuh). A boundary is the first key of a value some of whose keys have weight.
/// Ranks may have wrapped around: only their differences within a column are meaningful.
class OrderedBoundaries {
 public:
  /// keys: [n_values], ascending. ranks: [n_values + 1], the weight before each key, starting at any number.
  __device__ OrderedBoundaries(std::uint32_t const* keys, std::uint64_t const* ranks, std::size_t n_values) {
    auto const none = ranks[0];
    auto const all = ranks[n_values];
    if (none == all) return;
    auto const first = WarpSearch::FindFirst(0, n_values, [&](std::size_t at) { return ranks[at + 1] != none; });
    auto const last = WarpSearch::FindFirst(first, n_values, [&](std::size_t at) { return ranks[at + 1] == all; });
    keys_ = keys + first;
    ranks_ = ranks + first;
    n_keys_ = last + 1 - first;
  }

  __device__ std::size_t End() const { return n_keys_; }
  __device__ float Value(std::size_t boundary) const { return FromKey(keys_[boundary]); }
  __device__ double Rank(std::size_t boundary) const {
    return static_cast<double>(static_cast<std::int64_t>(ranks_[boundary] - ranks_[0]));
  }
  __device__ std::size_t Next(std::size_t boundary) const {
    auto const* const here = keys_ + boundary;
    auto const key = *here;
    auto const is_other = [&](std::size_t distance) { return here[distance] != key; };
    auto const end = boundary + WarpSearch::RunLength(n_keys_ - boundary, is_other);
    if (end == n_keys_ || ranks_[end + 1] != ranks_[end]) return end;
    auto const weighs = [&](std::size_t at) { return ranks_[at + 1] != ranks_[end]; };
    return FirstAlike(WarpSearch::FindFirst(end, n_keys_, weighs));
  }
  __device__ std::size_t LastUpTo(double rank) const {
    auto const is_beyond = [&](std::size_t at) { return Rank(at) > rank; };
    return FirstAlike(WarpSearch::FindFirst(1, n_keys_, is_beyond) - 1);
  }

 private:
  /// Returns the start of the run of keys that equal the key at `at`.
  __device__ std::size_t FirstAlike(std::size_t at) const {
    auto const* const here = keys_ + at;
    auto const key = *here;
    return at + 1 - WarpSearch::RunLength(at + 1, [&](std::size_t distance) { return *(here - distance) != key; });
  }

  std::uint32_t const* keys_ = nullptr;  ///< from the first to the last key with weight
  std::uint64_t const* ranks_ = nullptr;
  std::size_t n_keys_ = 0;
};

/// Input iterator of the scan: the units of the row at each place.
class UnitsInOrder {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::uint64_t;
  using difference_type = std::ptrdiff_t;
  using pointer = std::uint64_t const*;
  using reference = std::uint64_t;

  KAURI_HD UnitsInOrder(std::uint32_t const* rows, float const* weights, WeightUnit const& unit)
      : rows_(rows), weights_(weights), unit_(unit) {}
  /// Rows with negative weight count as rows with zero weight.
  KAURI_HD std::uint64_t operator[](std::ptrdiff_t at) const {
    auto const weight = weights_[rows_[at]];
    return weight > 0.0F ? static_cast<std::uint64_t>(unit_.Of(weight)) : 0;
  }
  KAURI_HD std::uint64_t operator*() const { return (*this)[0]; }
  KAURI_HD UnitsInOrder operator+(std::ptrdiff_t distance) const { return {rows_ + distance, weights_, unit_}; }

 private:
  std::uint32_t const* rows_;
  float const* weights_;
  WeightUnit unit_;
};

/// Some columns of a chunk.
struct RankedColumns {
  std::uint32_t const* keys;   ///< [n_cols, n_rows]
  std::uint64_t const* ranks;  ///< [n_cols * n_rows + 1]
  std::int64_t n_rows;

  __device__ OrderedBoundaries Of(std::int64_t col, ColumnSummary const& summary) const {
    return {keys + col * n_rows, ranks + col * n_rows, summary.n_values};
  }
};

std::int64_t ColumnsPerChunk(std::int64_t n_rows, std::int64_t n_cols, std::size_t rank_bytes) {
  auto const per_column = std::max<std::size_t>(1, sizeof(std::uint64_t) * ToSize(n_rows));
  auto const fitting = std::max<std::int64_t>(1, static_cast<std::int64_t>(rank_bytes / per_column));
  auto const n_chunks = std::max<std::int64_t>(1, (n_cols + fitting - 1) / fitting);
  return (n_cols + n_chunks - 1) / n_chunks;
}

std::int64_t MostCuts(std::int64_t n_rows, std::uint32_t max_bin) {
  return std::max<std::int64_t>(1, std::min<std::int64_t>(max_bin - 1, n_rows));
}

/// Cuts one chunk after the other in the same memory.
class OrderedCutter {
 public:
  OrderedCutter(CudaContext const& cuda, OrderedColumns const& columns, OrderedCutTask const& task, std::int64_t most)
      : cuda_(cuda),
        columns_(columns),
        task_(task),
        ranks_(cuda, ToSize(most * columns.n_rows + 1)),
        cuts_(cuda, ToSize(most * MostCuts(columns.n_rows, task.max_bin))),
        n_cuts_(cuda, ToSize(most)) {
    FillZero(cuda, ranks_.data(), 1);
  }

  void Cut(std::int64_t first_col, std::int64_t n_cols, std::vector<FeatureCuts>* features) {
    auto const first = first_col * columns_.n_rows;
    auto const n = n_cols * columns_.n_rows;
    UnitsInOrder const units(columns_.rows.data() + first, task_.weights.data(),
                             WeightUnit(task_.largest, columns_.n_rows));
    scratch_.Run(cuda_, [&](void* temp, std::size_t& bytes) {
      return cub::DeviceScan::InclusiveSum(temp, bytes, units, ranks_.data() + 1, n, cuda_.stream);
    });
    PickCutsTask const pick{columns_.summaries.data() + first_col,    n_cols,       columns_.n_rows, task_.max_bin,
                            MostCuts(columns_.n_rows, task_.max_bin), cuts_.data(), n_cuts_.data()};
    PickFrom(cuda_, RankedColumns{columns_.keys.data() + first, ranks_.data(), columns_.n_rows}, pick);
    AppendFeatures(cuda_, pick, features);
  }

 private:
  CudaContext cuda_;
  OrderedColumns const& columns_;
  OrderedCutTask const& task_;
  Buffer<std::uint64_t> ranks_;
  Buffer<float> cuts_;
  Buffer<std::uint32_t> n_cuts_;
  CubScratch scratch_;
};

}  // namespace

std::size_t OrderedCutBytes(std::int64_t n_rows, std::int64_t n_cols, OrderedCutTask const& task) {
  constexpr std::size_t kScratch = std::size_t{8} << 20U;
  auto const n = ToSize(ColumnsPerChunk(n_rows, n_cols, task.rank_bytes));
  auto const per_column =
      sizeof(std::uint64_t) * ToSize(n_rows) + sizeof(float) * ToSize(MostCuts(n_rows, task.max_bin));
  return n * (per_column + sizeof(std::uint32_t)) + kScratch;
}

std::vector<FeatureCuts> CutOrdered(CudaContext const& cuda, OrderedColumns const& columns,
                                    OrderedCutTask const& task) {
  std::vector<FeatureCuts> features;
  auto const most = ColumnsPerChunk(columns.n_rows, columns.n_cols, task.rank_bytes);
  if (columns.n_cols == 0) return features;
  OrderedCutter cutter(cuda, columns, task, most);
  for (std::int64_t first = 0; first < columns.n_cols; first += most) {
    cutter.Cut(first, std::min(most, columns.n_cols - first), &features);
  }
  return features;
}

}  // namespace kauri::cuda
