/// \file A weighted quantile summary with a bound on its ranks, after Greenwald & Khanna (2001) with the weights and
/// the merge of Chen & Guestrin (2016, appendix).
///
/// Vocabulary. An entry is a value of the data with its own weight and two bounds: the total weight of all smaller
/// values is at least `smaller`, and of all values up to it at most `up_to`. A summary is an ascending list of entries.
/// Pruning keeps the entries nearest to even steps of rank.
///
/// The algorithm.
/// 1. Values are sorted; each distinct value is an entry with exact bounds.
/// 2. Two summaries are merged by adding to the bounds of each value the bounds that the other summary implies: no
///    bound grows beyond the sum of both.
/// 3. A summary with more entries than `capacity` is pruned, which adds 1 / (capacity - 1) of its weight to the gap
///    between the bounds.
/// 4. One summary is kept for each number of prunings; a second one with the same number is merged with the first. n
///    values are pruned log2(n / capacity) + 1 times, whatever the batches.
/// 5. Over ranks: each rank prunes its whole summary once more and sends it; the summaries are merged in the order of
///    ranks.
///
/// Two sketches are made of the exact summaries of step 1: FewValues keeps the distinct values of a column as long as
/// they are few, for sketches that represent it by a few numbers; ExactSketch keeps all values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "data/sketch/sketch_method.h"

namespace kauri {

struct GkEntry {
  float value;
  double smaller;
  double up_to;
  double weight;

  double SmallerThanNext() const { return smaller + weight; }  ///< lower bound on the weight below any larger value
  double BelowThis() const { return up_to - weight; }          ///< upper bound on the weight of smaller values
};
using GkSummary = std::vector<GkEntry>;

/// Returns a summary of the values with exact bounds. Skips NaN and rows without weight.
GkSummary ExactSummary(Span<float const> values, Span<float const> weights);
/// Returns a summary of both parts.
GkSummary MergeSummaries(GkSummary const& left, GkSummary const& right);
/// Returns at most `capacity` >= 2 entries, including the first and the last.
GkSummary PruneSummary(GkSummary const& summary, std::size_t capacity);
/// Returns the middle between the bounds of each entry.
ColumnRanks RanksOf(GkSummary const& summary);

class GkSketch : public ColumnSketch {
 public:
  explicit GkSketch(std::size_t capacity) : capacity_(capacity) {}
  void Add(Span<float const> values, Span<float const> weights) override;
  void Merge(ColumnSketch const& other) override;
  /// Sends the merged summary, pruned once more: 28 bytes per entry, of which there are at most `capacity`.
  void Send(Parcel* out) const override;
  void MergeSent(OpenParcel* in) override;
  ColumnRanks Ranks() const override;
  double RankErrorBound() const override;
  /// A summary knows the ranks of its own values only. A quantile may lie between two of them, whose ranks differ by at
  /// most twice the bound.
  double QuantileErrorBound() const override { return 2.0 * RankErrorBound(); }
  std::size_t Bytes() const override;

 private:
  void Insert(GkSummary summary, std::size_t times_pruned);
  GkSummary Whole() const;

  std::size_t capacity_;
  std::vector<GkSummary> of_count_;  ///< indexed by the number of prunings; may hold empty summaries
};

/// All distinct values of a column as long as they are few.
class FewValues {
 public:
  explicit FewValues(std::size_t most) : most_(most) {}
  bool AreAll() const { return are_all_; }  ///< true if no added value was dropped
  GkSummary const& Values() const { return values_; }

  void Add(Span<float const> values, Span<float const> weights) {
    constexpr std::size_t kBlock = std::size_t{1} << 12U;
    for (std::size_t begin = 0; begin < values.size() && are_all_; begin += kBlock) {
      auto const n = std::min(kBlock, values.size() - begin);
      MergeSummary(ExactSummary(values.subspan(begin, n), weights.empty() ? weights : weights.subspan(begin, n)));
    }
  }

  void Merge(FewValues const& other) {
    are_all_ = are_all_ && other.are_all_;
    MergeSummary(other.values_);
  }

 private:
  void MergeSummary(GkSummary const& values) {
    if (are_all_) values_ = MergeSummaries(values_, values);
    are_all_ = are_all_ && values_.size() <= most_;
    if (!are_all_) values_ = {};
  }

  std::size_t most_;
  bool are_all_ = true;
  GkSummary values_;
};

class ExactSketch : public ColumnSketch {
 public:
  void Add(Span<float const> values, Span<float const> weights) override;
  void Merge(ColumnSketch const& other) override;
  /// Sorts the values. The weight of smaller values is exact.
  ColumnRanks Ranks() const override;
  double RankErrorBound() const override { return 0.0; }
  std::size_t Bytes() const override { return sizeof(*this) + (values_.size() + weights_.size()) * sizeof(float); }

 private:
  void Append(float value, float weight);

  std::vector<float> values_;
  std::vector<float> weights_;  ///< empty while all are 1
};

}  // namespace kauri
