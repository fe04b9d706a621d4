#include "collective/query_order.h"

#include <algorithm>

#include "collective/reduce.h"
#include "collective/row_ranges.h"
#include "kauri/error.h"

namespace kauri {
namespace {

/// Returns the number of groups in each range of rows.
std::vector<std::int64_t> CountGroups(std::vector<RowRange> const& ranges, MetaInfo const& info) {
  std::vector<std::int64_t> counts(ranges.size());
  std::size_t place = 0;
  std::int64_t end = 0;  // end of the range, in the row numbering of this rank
  for (std::size_t group = 0; !ranges.empty() && group + 1 < info.group_ptr.size(); ++group) {
    auto const first = info.group_ptr[group];
    auto const last = info.group_ptr[group + 1];
    if (end == 0) end = ranges[0].count;
    while (last > first && first >= end) end += ranges[++place].count;
    if (last > end) {
      Fail(ErrorKind::kData, "the rows of query group ", group, " are not consecutive among the rows of all ranks; ",
           "expected each group whole on one rank: move all its rows to the rank that has its first row");
    }
    ++counts[place];
  }
  return counts;
}

constexpr std::int64_t kMostGroups = std::int64_t{1} << 32;  ///< per range, so that no sum of them overflows

/// A range of rows with its groups.
struct GroupRange {
  RowRange rows;
  std::int64_t n_groups;
  std::int64_t number = 0;  ///< number of its first group among the groups of all ranks
};

std::vector<GroupRange> GroupRangesOfRank(OpenParcel* parcel) {
  auto const rows = parcel->Take<RowRange>();
  auto const counts = parcel->Take<std::int64_t>();
  RowsIn(rows);
  if (counts.size() != rows.size()) FailParcel("expected one count of query groups per range of rows");
  std::vector<GroupRange> ranges;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (counts[i] < 0 || counts[i] > kMostGroups)
      FailParcel(std::to_string(counts[i]) + " query groups in one range of rows; expected 0 to 2^32");
    ranges.push_back({rows[i], counts[i]});
  }
  return ranges;
}

}  // namespace

QueryOrder::QueryOrder(Context const& ctx, MetaInfo const& info) {
  if (IsDistributed(ctx)) {
    NumberOverRanks(ctx, info);
    return;
  }
  n_mine_ = std::max<std::int64_t>(static_cast<std::int64_t>(info.group_ptr.size()) - 1, 0);
  n_groups_ = n_mine_;
  n_rows_ = info.n_rows;
}

void QueryOrder::NumberOverRanks(Context const& ctx, MetaInfo const& info) {
  if (!info.group_ptr.empty() && info.group_ptr.back() != info.n_rows) {
    Fail(ErrorKind::kData, "the query groups have ", info.group_ptr.back(), " rows, the data set ", info.n_rows,
         "; give group sizes that add up to the number of rows");
  }
  auto const mine = RangesOf(info);
  auto const counts = CountGroups(mine, info);
  Parcel parcel;
  parcel.Add(mine);
  parcel.Add(counts);
  std::vector<GroupRange> all;
  for (auto& of_rank : GatherParcels(ctx, parcel)) {
    for (auto const& range : GroupRangesOfRank(&of_rank)) all.push_back(range);
  }
  auto const by_row = [](GroupRange const& a, GroupRange const& b) { return a.rows.first < b.rows.first; };
  std::sort(all.begin(), all.end(), by_row);
  for (auto& range : all) {
    if (range.rows.first != n_rows_) FailPartition(range.rows.first);
    range.number = n_groups_;
    n_rows_ += range.rows.count;
    n_groups_ += range.n_groups;
  }
  for (std::size_t i = 0; i < mine.size(); ++i) {
    auto const range = std::lower_bound(all.begin(), all.end(), GroupRange{mine[i], 0}, by_row);
    if (range == all.end() || !(range->rows == mine[i]) || range->n_groups != counts[i]) {
      FailParcel("the rows that this rank sent came back changed");
    }
    for (std::int64_t group = 0; group < counts[i]; ++group) numbers_.push_back(range->number + group);
  }
  n_mine_ = static_cast<std::int64_t>(numbers_.size());
}

}  // namespace kauri
