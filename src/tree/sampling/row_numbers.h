/// \file The global numbers of a rank's rows: what draws of rows are keyed by.
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
  explicit RowNumbers(Span<RowRange const> ranges) : ranges_(ranges) {
    for (auto const& range : ranges) first_here_.push_back(first_here_.back() + range.count);
  }

  /// fn(row, its global number) for the rows from `begin` up to `end` of this rank.
  template <typename Fn>
  void ForEach(std::int64_t begin, std::int64_t end, Fn&& fn) const {
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

 private:
  Span<RowRange const> ranges_;
  std::vector<std::int64_t> first_here_{0};  ///< [n_ranges + 1]
};

}  // namespace kauri
