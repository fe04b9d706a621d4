/// \file Helpers of sketches that represent a column by a few numbers: exact handling of few values, ranks from a
/// density.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "data/sketch/gk_sketch.h"
#include "data/sketch/moment_density.h"

namespace kauri {

/// Sizes of the ranks that are computed from a density.
struct DensityRanks {
  std::size_t max_distinct = 256;  ///< columns of at most this number of distinct values are kept exactly
  std::size_t n_ranks = 1024;      ///< number of ranks of other columns
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

/// Bounds and total weight of a column.
struct ColumnExtent {
  float min;
  float max;
  double weight;
};

/// Returns the values at even steps of rank of a distribution (data/sketch/moment_density.h) over [min, max]. Requires
/// min < max.
inline ColumnRanks RanksOfCdf(std::vector<double> const& cdf, ColumnExtent const& extent, std::size_t n_ranks) {
  std::vector<double> shares;
  auto const n = static_cast<double>(n_ranks);
  for (std::size_t i = 1; i < n_ranks; ++i) shares.push_back(static_cast<double>(i) / n);
  auto const places = InvertCdf(cdf, shares);
  ColumnRanks ranks{{extent.min}, {0.0}};
  auto const middle = 0.5 * (static_cast<double>(extent.min) + extent.max);
  auto const half = 0.5 * (static_cast<double>(extent.max) - extent.min);
  for (std::size_t i = 0; i < places.size(); ++i) {
    auto const value = static_cast<float>(middle + half * places[i]);
    if (value <= ranks.values.back()) continue;
    ranks.values.push_back(value);
    ranks.below.push_back(shares[i] * extent.weight);
  }
  ranks.below.push_back(extent.weight);
  return ranks;
}

}  // namespace kauri
