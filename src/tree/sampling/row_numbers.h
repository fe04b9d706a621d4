/// \file The global numbers of a rank's rows, or of the first rows of their queries: what draws of rows are keyed by;
/// and whether a certain number of rows is drawn.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kauri/meta_info.h"
#include "kauri/span.h"

namespace kauri {

class RowNumbers {
 public:
  /// ranges: MetaInfo::global_rows, not owned; empty: row i is row i.
  /// query_begin: MetaInfo::group_ptr, not owned, where a row has the number of its query's first row, which all rows
  /// of the query have on every rank, since they follow each other among those of all ranks; empty: its own.
  explicit RowNumbers(Span<RowRange const> ranges, Span<std::int64_t const> query_begin = {})
      : ranges_(ranges), query_begin_(query_begin) {
    for (auto const& range : ranges) first_here_.push_back(first_here_.back() + range.count);
  }

  /// Of `n_all` rows of all ranks exactly a share is drawn.
  static RowNumbers DrawnExactly(Span<RowRange const> ranges, std::int64_t n_all) {
    RowNumbers numbers(ranges);
    numbers.n_all_ = n_all;
    return numbers;
  }
  /// n_all; -1: each row is drawn on its own.
  std::int64_t NumAll() const { return n_all_; }

  /// fn(row, its global number) for the rows from `begin` up to `end` of this rank.
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
