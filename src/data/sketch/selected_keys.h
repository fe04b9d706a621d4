/// \file The boundaries of rank_cuts.h around even ranks, without sorting the keys between them.
///
/// 1. Keys of the values are counted by their upper 16 bits, which gives the rank of each bucket.
/// 2. The buckets that hold the ranks of even cuts are picked; in large columns of many values they are a small share.
///    The first and the last bucket are picked, too, so that the smallest and the largest value are known.
/// 3. Only the keys of picked buckets are copied out, each to its bucket, and sorted there by their lower 16 bits.
/// A column with a few heavy values has cuts elsewhere. A request for a rank outside the picked buckets returns the
/// end, and IsComplete() is false from then on: the caller has to sort the column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/sketch/sketch_cuts.h"
#include "data/sketch/weighted_keys.h"
#include "kauri/span.h"

namespace kauri {

/// A selection whose memory is reused from column to column.
class SelectedKeys {
 public:
  /// Selects the keys around the ranks of the even bins of MakeCuts. values: NaN where missing; other rows of the
  /// n_rows have no value either. Returns false if the column may have at most max_bin distinct values, so that each
  /// gets a bin: the caller has to sort it.
  bool Select(Span<float const> values, std::int64_t n_rows, std::uint32_t max_bin);

  /// Returns the number of values and their bounds, without cuts. Select must have returned true.
  FeatureCuts Summary() const;

  /// Returns whether the selection answered all requests.
  bool IsComplete() const { return is_complete_; }
  std::size_t End() const { return begin_.back(); }
  float Value(std::size_t boundary) const;
  double Rank(std::size_t boundary) const { return static_cast<double>(boundary); }
  std::size_t Next(std::size_t boundary) const;
  std::size_t LastUpTo(double rank) const;

 private:
  /// The sorted keys of one bucket and the rank of the first.
  struct Bucket {
    std::uint32_t const* first = nullptr;
    std::uint32_t const* last = nullptr;
    std::size_t rank = 0;
  };

  void Count(Span<float const> values);
  std::size_t BucketOf(std::size_t rank) const;
  void PickBuckets(std::uint32_t n_bins);
  /// Copies the keys of picked buckets, each to its bucket.
  void CopyPicked(Span<float const> values);
  /// Sorts a bucket, whose keys differ in their lower 16 bits only.
  void SortBucket(std::size_t bucket);
  /// Returns the bucket of a rank. If it was not picked, returns an empty bucket and makes IsComplete() false.
  Bucket Find(std::size_t rank) const;

  std::vector<std::uint32_t> begin_;     ///< [n_buckets + 1]: ranks
  std::vector<std::uint8_t> is_picked_;  ///< [n_buckets]
  std::vector<std::uint32_t> place_;     ///< [n_buckets]: index of a picked bucket's first key in selected_
  std::vector<std::uint32_t> selected_;  ///< the keys of picked buckets
  std::vector<std::uint32_t> scratch_;
  mutable bool is_complete_ = true;
};

}  // namespace kauri
