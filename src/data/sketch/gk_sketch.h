/// \file A weighted quantile summary with a bound on its ranks, after Greenwald & Khanna (2001) with the weights and
/// the merge of Chen & Guestrin (2016, appendix).
///
/// Vocabulary. An entry is a value of the data with its own weight and two bounds: all smaller values weigh at least
/// `smaller`, all up to it at most `up_to`. A summary is a list of entries, ascending. Pruning keeps the entries
/// nearest to even steps of rank.
///
/// The algorithm.
/// 1. Values are sorted; each distinct one is an entry with exact bounds.
/// 2. Two summaries are merged by adding, for each value, what the other one knows of it: no bound grows beyond the sum
///    of both.
/// 3. A summary with more entries than `capacity` is pruned, which adds 1 / (capacity - 1) of its weight to the gap
///    between the bounds.
/// 4. Summaries are kept by how often they were pruned, one of each count; a second one is merged with the first. n
///    values are pruned log2(n / capacity) + 1 times, however they come in.
#pragma once

#include <vector>

#include "data/sketch/column_sketch.h"

namespace kauri {

struct GkEntry {
  float value;
  double smaller;
  double up_to;
  double weight;

  double SmallerThanNext() const { return smaller + weight; }  ///< what larger values have below them at least
  double BelowThis() const { return up_to - weight; }          ///< what smaller values weigh at most
};
using GkSummary = std::vector<GkEntry>;

/// Of values with exact bounds; NaN and rows that weigh nothing are left out.
GkSummary ExactSummary(Span<float const> values, Span<float const> weights);
/// The summary of both parts.
GkSummary MergeSummaries(GkSummary const& left, GkSummary const& right);
/// At most `capacity` >= 2 entries, the first and the last among them.
GkSummary PruneSummary(GkSummary const& summary, std::size_t capacity);
/// The middle between the bounds of each entry.
ColumnRanks RanksOf(GkSummary const& summary);

class GkSketch : public ColumnSketch {
 public:
  explicit GkSketch(std::size_t capacity) : capacity_(capacity) {}
  void Add(Span<float const> values, Span<float const> weights) override;
  void Merge(ColumnSketch const& other) override;
  ColumnRanks Ranks() const override;
  double RankErrorBound() const override;
  std::size_t Bytes() const override;

 private:
  void Insert(GkSummary summary, std::size_t times_pruned);
  GkSummary Whole() const;

  std::size_t capacity_;
  std::vector<GkSummary> of_count_;  ///< by the number of times they were pruned; empty where there is none
};

}  // namespace kauri
