/// \file Samples rows and columns for trees.
///
/// Every draw is a pure function of the seed and of its position (iteration, tree, depth, node), so it does not depend
/// on threads, devices or the order of calls. The drawn numbers differ from XGBoost's; their distribution is the same.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "common/random/random.h"
#include "common/shuffle/shuffle.h"
#include "kauri/context.h"
#include "kauri/host_device.h"
#include "kauri/meta_info.h"
#include "kauri/span.h"
#include "kauri/tree_builder.h"
#include "kauri/tree_param.h"

namespace kauri {

// Global numbers of a rank's rows, or of the first rows of their queries, by which draws of rows are keyed. Also
// states whether an exact number of rows is drawn.

class RowNumbers {
 public:
  /// ranges: MetaInfo::global_rows, not owned; if empty, row i has number i.
  /// query_begin: MetaInfo::group_ptr, not owned. If given, all rows of a query have the number of the query's first
  /// row, on every rank, because the rows of a query are consecutive among the rows of all ranks. If empty, each row
  /// has its own number.
  explicit RowNumbers(Span<RowRange const> ranges, Span<std::int64_t const> query_begin = {})
      : ranges_(ranges), query_begin_(query_begin) {
    for (auto const& range : ranges) first_here_.push_back(first_here_.back() + range.count);
  }

  /// Returns numbers for drawing an exact share of the `n_all` rows of all ranks.
  static RowNumbers DrawnExactly(Span<RowRange const> ranges, std::int64_t n_all) {
    RowNumbers numbers(ranges);
    numbers.n_all_ = n_all;
    return numbers;
  }
  /// Returns n_all; -1 if each row is drawn independently.
  std::int64_t NumAll() const { return n_all_; }

  /// Calls fn(row, its global number) for the rows [begin, end) of this rank.
  template <typename Fn>
  void ForEach(std::int64_t begin, std::int64_t end, Fn&& fn) const {
    if (query_begin_.empty()) return ForEachRow(begin, end, fn);
    auto const after = std::upper_bound(query_begin_.begin(), query_begin_.end(), begin);
    auto query = static_cast<std::size_t>(after - query_begin_.begin()) - 1;
    ForEachRow(begin, end, [&](std::int64_t row, std::int64_t number) {
      while (row >= query_begin_[query + 1]) ++query;
      fn(row, number - (row - query_begin_[query]));
    });
  }

 private:
  template <typename Fn>
  void ForEachRow(std::int64_t begin, std::int64_t end, Fn&& fn) const {
    if (ranges_.empty()) {
      for (auto row = begin; row < end; ++row) fn(row, row);
      return;
    }
    auto const after = std::upper_bound(first_here_.begin(), first_here_.end(), begin);
    for (auto i = static_cast<std::size_t>(after - first_here_.begin()) - 1; begin < end; ++i) {
      auto const last = std::min(end, first_here_[i + 1]);
      auto const shift = ranges_[i].first - first_here_[i];
      for (auto row = begin; row < last; ++row) fn(row, row + shift);
      begin = last;
    }
  }

  Span<RowRange const> ranges_;
  Span<std::int64_t const> query_begin_;
  std::vector<std::int64_t> first_here_{0};  ///< [n_ranges + 1]
  std::int64_t n_all_ = -1;
};

/// Returns the key of a tree's draws of rows. `tree_in_iteration` as in TreePlace.
std::uint64_t RowSamplingKey(std::uint64_t seed, std::int64_t iteration, std::int64_t tree_in_iteration);

/// Returns the key of a tree's weights of rows.
std::uint64_t RowWeightKey(std::uint64_t seed, std::int64_t iteration, std::int64_t tree_in_iteration);

KAURI_HD bool IsRowSampled(std::uint64_t key, std::int64_t row, float rate) {
  return RandomUniform(key, static_cast<std::uint64_t>(row)) < static_cast<double>(rate);
}

/// Samples each row independently with probability `rate` (Bernoulli), or exactly NumChosenRows of all rows, as
/// `numbers` specifies. Returns [n_rows], 1 = used; empty (all are used) when rate >= 1. The seed is ctx.seed;
/// `tree_in_iteration` as in TreePlace. The result for a row depends on its global number, not on its rank.
std::vector<std::uint8_t> SampleRows(Context const& ctx, std::int64_t iteration, std::int64_t tree_in_iteration,
                                     float rate, std::int64_t n_rows, RowNumbers const& numbers = RowNumbers({}));

/// Returns the number of columns drawn from n: max(1, floor(rate * n)), with the product in float64; 0 when n is 0.
std::int64_t SampledColumnCount(float rate, std::int64_t n);

/// The columns of one tree in nested sets: each level's set is drawn from the tree's, each node's from its level's. All
/// lists are ascending. Cheap to construct when every rate is 1. With place.feature_weights, which must outlive this
/// object, columns are drawn one after the other, each with a probability proportional to its weight among the
/// remaining columns.
class ColumnSampler {
 public:
  ColumnSampler(TreeParam const& param, std::uint64_t seed, TreePlace const& place, std::int64_t n_features);

  bool SamplesLevels() const { return level_rate_ < 1.0F; }
  bool SamplesNodes() const { return node_rate_ < 1.0F; }
  std::vector<std::uint32_t> const& TreeSet() const { return tree_set_; }
  std::vector<std::uint32_t> LevelSet(std::int32_t depth) const;
  /// Returns the columns of a node. `node` is the id within the growing tree, before any pruning.
  std::vector<std::uint32_t> NodeSet(std::int32_t depth, std::int32_t node) const;
  /// Returns the key of a node's random thresholds.
  std::uint64_t ThresholdKey(std::int32_t node) const;
  /// Returns the key of a node's noise on gains (gain_noise.h).
  std::uint64_t NoiseKey(std::int32_t node) const;

 private:
  std::uint64_t tree_key_;
  float level_rate_;
  float node_rate_;
  Span<float const> weights_;
  std::vector<std::uint32_t> tree_set_;
};

// Draws an exact number of rows: sampling_method=without_replacement. Used on the CPU and on CUDA devices.
//
// A keyed permutation gives each row a rank, which can be computed independently for each row
// (BijectiveShuffle::Rank). The rows with the lowest ranks are chosen. Every set of that many rows is thus equally
// likely, and no list is needed.

/// Returns floor(rate n), where the rate is the decimal number as written: 0.7 of ten rows are seven, although the
/// nearest float is below 0.7. Returns at least one if n is positive.
inline std::int64_t NumChosenRows(float rate, std::int64_t n) {
  auto const product = static_cast<double>(rate) * static_cast<double>(n);
  auto const nearest = std::round(product);
  auto const is_whole = static_cast<float>(nearest / static_cast<double>(n)) == rate;
  auto const count = static_cast<std::int64_t>(is_whole ? nearest : std::floor(product));
  return count < 1 && n > 0 ? 1 : count;
}

class RowChoice {
 public:
  /// Chooses no rows.
  RowChoice() : ranks_(0, 0), count_(0) {}
  /// Chooses among rows 0 to n - 1 with a tree's key for rows.
  RowChoice(std::uint64_t key, float rate, std::int64_t n) : ranks_(n, key), count_(NumChosenRows(rate, n)) {}

  std::int64_t Count() const { return count_; }
  KAURI_HD bool Has(std::int64_t row) const { return ranks_.Rank(row) < count_; }

 private:
  Shuffle ranks_;
  std::int64_t count_;
};

}  // namespace kauri
