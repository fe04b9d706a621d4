/// \file Which rows of all ranks' one table are here.
///
/// Vocabulary. A row's global number is its place among the rows of all ranks, 0 .. N - 1; MetaInfo::global_rows says
/// which of them a rank has, in the order in which it holds them. What ranks learn together is what one process learns
/// from all rows in the order of their global numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/meta_info.h"
#include "kauri/span.h"

namespace kauri {

/// The most rows of all ranks: what sums of 2^32 quantised gradients are sure to fit.
constexpr std::int64_t kMostGlobalRows = (std::int64_t{1} << 32U) - 1;

/// Ranges of a rank's rows, empty ones left out and neighbours joined. \throws Error(kData) naming a range below 0,
/// past kMostGlobalRows, or that shares rows with another.
std::vector<RowRange> CheckedRanges(std::vector<RowRange> const& ranges);

/// How many rows all ranks have together. \throws Error(kData), on every rank, for more than kMostGlobalRows in a
/// group.
std::int64_t CountGlobalRows(Context const& ctx, std::int64_t n_rows_here);

/// Made once per data set, by all ranks together; then every rank looks up its own rows.
class GlobalRows {
 public:
  /// One process alone has all rows, in their order, whatever info.global_rows says. Costs one Gather of 16 bytes a
  /// range. \throws Error(kData), on every rank with the same words, unless each row from 0 on is on one rank once, and
  /// every rank has as many rows as its ranges say.
  GlobalRows(Context const& ctx, MetaInfo const& info);

  /// Of all ranks.
  std::int64_t NumRows() const { return n_rows_; }
  /// Of this one.
  std::int64_t NumLocal() const { return first_here_.back(); }
  /// The rows of this rank in their order here.
  std::vector<RowRange> const& Ranges() const { return ranges_; }
  /// [n_ranges + 1]: where each range begins among the rows here, and their number.
  std::vector<std::int64_t> const& FirstHere() const { return first_here_; }
  /// The global number of a row of this rank. Costs a binary search.
  std::int64_t Of(std::int64_t row) const;

 private:
  std::int64_t n_rows_ = 0;
  std::vector<RowRange> ranges_;
  std::vector<std::int64_t> first_here_{0};
};

}  // namespace kauri
