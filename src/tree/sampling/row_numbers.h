/// \file Global numbers of a rank's rows, or of the first rows of their queries, by which draws of rows are keyed. Also
/// states whether an exact number of rows is drawn.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kauri/meta_info.h"
#include "kauri/span.h"

namespace kauri {

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

}  // namespace kauri
