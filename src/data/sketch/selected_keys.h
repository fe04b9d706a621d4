/// \file The boundaries of rank_cuts.h around even ranks, without sorting the keys that lie between them.
///
/// 1. Keys of the values are counted by their upper 16 bits: what is below a bucket is known then.
/// 2. The buckets that hold the ranks of even cuts are picked; in large columns of many values they are a small share.
/// 3. Only their keys are copied out and sorted.
/// A column in which a few values weigh a lot has cuts elsewhere. Whoever asks for a rank outside of the picked buckets
/// is told the end, and IsComplete() is false from then on: sort the column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/sketch/weighted_keys.h"
#include "kauri/span.h"

namespace kauri {

/// Reused from column to column.
class SelectedKeys {
 public:
  /// The keys around the ranks of n_bins even bins. values: NaN where missing. False when the column may have no more
  /// than max_bin distinct values, each of which has a bin then: sort it. max_bin: at least n_bins.
  bool Select(Span<float const> values, std::uint32_t n_bins, std::uint32_t max_bin);

  /// Whether all that was asked for was there.
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
  /// Empty, and IsComplete() false, when it was not picked.
  Bucket Find(std::size_t rank) const;

  std::vector<std::uint32_t> begin_;     ///< [n_buckets + 1]: ranks
  std::vector<std::uint8_t> is_picked_;  ///< [n_buckets]
  std::vector<std::uint32_t> place_;     ///< [n_buckets]: of a picked bucket in selected_
  std::vector<std::uint32_t> selected_;
  std::vector<std::uint32_t> scratch_;
  mutable bool is_complete_ = true;
};

}  // namespace kauri
