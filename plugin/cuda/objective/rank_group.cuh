/// \file The work of a block of threads on the rows of one query group, for any selection of pairs.
///
/// The block reads the rows in the order of their scores and finds the values common to all pairs (ideal gain, relevant
/// rows). The caller then adds up the pairs, and the block normalises and writes.
#pragma once

#include <cub/block/block_scan.cuh>
#include <type_traits>

#include "cuda/common/buffer.h"
#include "cuda/data/query_groups.cuh"
#include "kauri/gradient.h"
#include "objective/ranking/rank_pair.h"

namespace kauri::cuda {

constexpr int kRankThreads = 128;

/// Arrays over rows, [n_rows] each. Most are indexed by place; a group's part begins at its first row.
struct RankArrays {
  std::uint32_t const* row_of_place;
  std::uint32_t const* row_by_label;  ///< nullptr unless ndcg or sampled pairs need it
  std::uint32_t* place_of_row;        ///< nullptr unless pairs are sampled
  PlacedRow* placed;
  double* gradient;
  double* hessian;
  double* push;  ///< sums of GradientOfPair::push over the pairs in which this is the upper row
};

struct RankTask {
  LambdaRule rule;
  float const* margins;
  DeviceInfo info;
  double const* weight_scale;  ///< nullptr: no weights
  RankArrays arrays;
  GradientPair* out;
};

/// Returns value_of(0) + ... + value_of(n - 1) to every thread, added one after the other as on the host.
template <typename Fn>
__device__ double SumInOrder(std::int64_t n, Fn const& value_of) {
  __shared__ double values[kRankThreads];
  __shared__ double total;
  if (threadIdx.x == 0) total = 0.0;
  for (std::int64_t begin = 0; begin < n; begin += kRankThreads) {
    if (begin + threadIdx.x < n) values[threadIdx.x] = value_of(begin + threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) {
      std::int64_t const count = n - begin < kRankThreads ? n - begin : kRankThreads;
      for (std::int64_t i = 0; i < count; ++i) total += values[i];
    }
    __syncthreads();
  }
  __syncthreads();
  double const sum = total;
  __syncthreads();  // before the next call writes
  return sum;
}

/// A query group and its rows, for its block.
struct GroupTask {
  RankTask const& task;
  GroupRange range;
  std::int64_t group;
  std::int64_t n;

  __device__ GroupTask(RankTask const& of_task, std::int64_t index)
      : task(of_task), range(of_task.info, index), group(index), n(range.Size()) {}
  __device__ float Label(std::int64_t row) const { return task.info.labels.data()[range.begin + row]; }
  __device__ PlacedRow& At(std::int64_t place) const { return task.arrays.placed[range.begin + place]; }
  __device__ std::int64_t RowByLabel(std::int64_t i) const { return task.arrays.row_by_label[range.begin + i]; }
  __device__ void Add(std::int64_t place, double gradient, double hessian) const {
    atomicAdd(task.arrays.gradient + range.begin + place, gradient);
    atomicAdd(task.arrays.hessian + range.begin + place, hessian);
  }
};

/// Places the rows in the order of their scores, and clears their sums.
inline __device__ void PlaceRows(GroupTask const& own) {
  auto const& arrays = own.task.arrays;
  bool const discounts = own.task.rule.target == RankTarget::kNdcg;
  for (std::int64_t place = threadIdx.x; place < own.n; place += kRankThreads) {
    std::int64_t const at = own.range.begin + place;
    std::uint32_t const row = arrays.row_of_place[at];
    arrays.placed[at] = {static_cast<double>(own.task.margins[own.range.begin + row]),
                         own.task.rule.Relevance(own.Label(row)), discounts ? RankDiscount(place) : 0.0};
    arrays.gradient[at] = 0.0;
    arrays.hessian[at] = 0.0;
    arrays.push[at] = 0.0;
    if (arrays.place_of_row != nullptr) {
      arrays.place_of_row[own.range.begin + row] = static_cast<std::uint32_t>(place);
    }
  }
  __syncthreads();
}

inline __device__ double ScaleOfNdcg(GroupTask const& own) {
  double const ideal = SumInOrder(own.task.rule.BestPlaces(own.n), [&](std::int64_t place) {
    return own.task.rule.Relevance(own.Label(own.RowByLabel(place))) * RankDiscount(place);
  });
  return ideal > 0.0 ? 1.0 / ideal : 0.0;
}

/// Fills the values of the places. They are sums from the first place on, computed for kRankThreads places at a time.
inline __device__ double ScaleOfMap(GroupTask const& own) {
  using CountScan = cub::BlockScan<std::int64_t, kRankThreads>;
  using ReciprocalScan = cub::BlockScan<double, kRankThreads>;
  __shared__ typename CountScan::TempStorage count_storage;
  __shared__ typename ReciprocalScan::TempStorage reciprocal_storage;
  ExactGrid const grid = ReciprocalGrid();
  std::int64_t n_found = 0;
  double reciprocals = 0.0;
  for (std::int64_t begin = 0; begin < own.n; begin += kRankThreads) {
    std::int64_t const place = begin + threadIdx.x;
    bool const relevant = place < own.n && own.At(place).relevance != 0.0;
    std::int64_t found = relevant ? 1 : 0;
    double before = relevant ? grid.Round(1.0 / static_cast<double>(place + 1)) : 0.0;
    std::int64_t found_in_chunk = 0;
    double reciprocals_of_chunk = 0.0;
    CountScan(count_storage).InclusiveSum(found, found, found_in_chunk);
    ReciprocalScan(reciprocal_storage).ExclusiveSum(before, before, reciprocals_of_chunk);
    if (place < own.n) own.At(place).value = MapPlaceValue(n_found + found, place, reciprocals + before);
    n_found += found_in_chunk;
    reciprocals += reciprocals_of_chunk;
    __syncthreads();  // the next turn reuses the scans' memory
  }
  return n_found > 0 ? 1.0 / static_cast<double>(n_found) : 0.0;
}

/// Returns the range of rows whose label equals the label of the i-th row by label; labels descend.
inline __device__ LabelBucket BucketOf(GroupTask const& own, std::int64_t i) {
  float const label = own.Label(own.RowByLabel(i));
  std::int64_t low = 0;
  std::int64_t high = i;
  while (low < high) {  // finds the first that is not above
    std::int64_t const middle = low + (high - low) / 2;
    bool const above = own.Label(own.RowByLabel(middle)) > label;
    low = above ? middle + 1 : low;
    high = above ? high : middle;
  }
  LabelBucket bucket{low, i + 1, own.n};
  std::int64_t end = own.n;
  while (bucket.end < end) {  // finds the first that is below
    std::int64_t const middle = bucket.end + (end - bucket.end) / 2;
    bool const below = own.Label(own.RowByLabel(middle)) < label;
    end = below ? middle : end;
    bucket.end = below ? bucket.end : middle + 1;
  }
  return bucket;
}

inline __device__ void Write(GroupTask const& own, double scale) {
  for (std::int64_t place = threadIdx.x; place < own.n; place += kRankThreads) {
    std::int64_t const at = own.range.begin + place;
    own.task.out[own.range.begin + own.task.arrays.row_of_place[at]] = {
        static_cast<float>(own.task.arrays.gradient[at] * scale),
        static_cast<float>(own.task.arrays.hessian[at] * scale)};
  }
}

template <typename Change>
inline __device__ double ScaleOf(GroupTask const& own) {
  if (own.n < 2) return 0.0;
  PlaceRows(own);
  if constexpr (std::is_same_v<Change, NdcgChange>) return ScaleOfNdcg(own);
  if constexpr (std::is_same_v<Change, MapChange>) return ScaleOfMap(own);
  return 1.0;
}

/// Computes the gradients of a group. add_pairs(PairRule) adds to the gradients and hessians of the group's rows. It
/// returns, to every thread, the sum of the pushes of its pairs, which matters for best places only. Called by all
/// threads of a block. largest_factor: the largest factor by which pairs may be multiplied.
template <typename Change, typename AddPairs>
__device__ void ComputeGroup(GroupTask const& own, double largest_factor, AddPairs const& add_pairs) {
  auto const& task = own.task;
  double const change_scale = ScaleOf<Change>(own);
  if (change_scale == 0.0) {  // for the whole block
    for (std::int64_t row = own.range.begin + threadIdx.x; row < own.range.end; row += kRankThreads) {
      task.out[row] = {0.0F, 0.0F};
    }
    return;
  }
  bool const by_distance = task.rule.normalize_scores && own.At(0).score != own.At(own.n - 1).score;
  double const largest = task.arrays.row_by_label == nullptr ? 1.0 : task.rule.Relevance(own.Label(own.RowByLabel(0)));
  double const strength = add_pairs(MakePairRule(task.rule, own.n, largest, change_scale, by_distance, largest_factor));
  double const weight =
      static_cast<double>(own.range.weight) * (task.weight_scale == nullptr ? 1.0 : *task.weight_scale);
  Write(own, GroupScale(task.rule, strength) * weight);
}

/// The rows of all groups in order, and memory for the results of blocks: about 90 bytes per row.
class RankMemory {
 public:
  /// Sorts the rows. Asynchronous.
  RankMemory(CudaContext const& cuda, LambdaRule const& rule, Span<float const> margins, DeviceInfo const& info);
  /// Returns a task that is valid while this object is. out: [n_rows], device.
  RankTask Task(LambdaRule const& rule, Span<float const> margins, DeviceInfo const& info,
                Span<GradientPair> out) const {
    RankArrays const arrays{row_of_place_.data(), row_by_label_.data(), place_of_row_.data(), placed_.data(),
                            gradient_.data(),     hessian_.data(),      push_.data()};
    return {rule, margins.data(), info, weight_scale_.data(), arrays, out.data()};
  }

 private:
  Buffer<std::uint32_t> row_of_place_;
  Buffer<std::uint32_t> row_by_label_;
  Buffer<std::uint32_t> place_of_row_;
  Buffer<PlacedRow> placed_;
  Buffer<double> gradient_;
  Buffer<double> hessian_;
  Buffer<double> push_;
  Buffer<double> weight_scale_;
};

}  // namespace kauri::cuda
