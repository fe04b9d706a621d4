#include "collective/row_ranges.h"

#include "collective/parcel.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr std::int64_t kMostRows = std::int64_t{1} << 32;

bool IsRange(RowRange const& range) {
  return range.first >= 0 && range.count >= 0 && range.count <= kMostRows && range.first <= kMostRows - range.count;
}

void CheckRange(RowRange const& range) {
  if (IsRange(range)) return;
  Fail(ErrorKind::kData, "global_rows has ", range.count, " rows from row ", range.first,
       " on; rows of all ranks are numbered from 0 to at most 2^32 - 1");
}

}  // namespace

std::vector<RowRange> RangesOf(MetaInfo const& info) {
  if (info.global_rows.empty())
    return info.n_rows == 0 ? std::vector<RowRange>{} : std::vector<RowRange>{{0, info.n_rows}};
  std::vector<RowRange> ranges;
  std::int64_t n_rows = 0;
  for (auto const& range : info.global_rows) {
    CheckRange(range);
    n_rows += range.count;
    if (range.count == 0) continue;
    if (!ranges.empty() && ranges.back().first + ranges.back().count == range.first) {
      ranges.back().count += range.count;
    } else {
      ranges.push_back(range);
    }
  }
  if (n_rows == info.n_rows) return ranges;
  Fail(ErrorKind::kData, "global_rows numbers ", n_rows, " rows, the data set has ", info.n_rows,
       "; give ranges for exactly its rows");
}

std::int64_t GlobalRow(MetaInfo const& info, std::int64_t row) {
  auto left = row;
  for (auto const& range : info.global_rows) {
    if (left < range.count) return range.first + left;
    left -= range.count;
  }
  return row;
}

std::int64_t RowsIn(std::vector<RowRange> const& of_rank) {
  std::int64_t n_rows = 0;
  for (auto const& range : of_rank) {
    if (!IsRange(range) || range.count == 0) FailParcel("a range of " + std::to_string(range.count) + " rows");
    n_rows += range.count;
    if (n_rows > kMostRows) FailParcel("more than 2^32 rows");
  }
  return n_rows;
}

std::int64_t CountRows(std::vector<std::vector<RowRange>> const& ranges) {
  std::int64_t n_rows = 0;
  for (auto const& of_rank : ranges) n_rows += RowsIn(of_rank);
  if (n_rows > kMostRows) Fail(ErrorKind::kData, "the ranks have ", n_rows, " rows, more than 2^32; learn from fewer");
  for (auto const& of_rank : ranges) {
    for (auto const& range : of_rank) {
      if (range.first + range.count > n_rows) FailPartition(range.first + range.count - 1);
    }
  }
  return n_rows;
}

void FailPartition(std::int64_t row) {
  Fail(ErrorKind::kData, "the ranks do not have each row exactly once: row ", row,
       " is there twice, or rows before it are missing; set global_rows on every rank so that all together number the ",
       "rows from 0 on");
}

}  // namespace kauri
