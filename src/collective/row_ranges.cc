#include "collective/row_ranges.h"

#include <algorithm>
#include <string>
#include <utility>

#include "collective/reduce.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr char kCure[] = "; set global_rows so that each row from 0 on is on one rank, once.";

bool IsRange(RowRange const& range) {
  return range.first >= 0 && range.count >= 0 && range.count <= kMostGlobalRows &&
         range.first <= kMostGlobalRows - range.count;
}

[[noreturn]] void FailTooMany(std::int64_t n_rows) {
  Fail(ErrorKind::kData, "the ranks have ", n_rows, " rows, but at most ", kMostGlobalRows,
       " are supported; train on a sample of them.");
}

/// A range of rows and the rank that has it.
struct OwnedRange {
  RowRange rows;
  std::size_t rank;
};

/// Returns the words that one rank sends to all: its number of rows, then first and count of each range.
std::vector<std::int64_t> Announce(MetaInfo const& info) {
  std::vector<std::int64_t> words{info.n_rows};
  for (auto const& range : info.global_rows) {
    words.push_back(range.first);
    words.push_back(range.count);
  }
  if (info.global_rows.empty()) words.insert(words.end(), {0, info.n_rows});
  return words;
}

std::vector<OwnedRange> RangesOfRank(std::vector<std::int64_t> const& words, std::size_t rank) {
  if (words.size() % 2 == 0) {
    Fail(ErrorKind::kCollective, "rank ", rank, " describes its rows by ", words.size(),
         " numbers; expected an odd count: the number of rows, then first row and length of each range.");
  }
  std::vector<RowRange> given;
  for (std::size_t i = 1; i < words.size(); i += 2) given.push_back({words[i], words[i + 1]});
  std::vector<OwnedRange> ranges;
  std::int64_t n_rows = 0;
  for (auto const& range : CheckedRanges(given)) {
    ranges.push_back({range, rank});
    n_rows += range.count;
  }
  if (n_rows == words[0]) return ranges;
  Fail(ErrorKind::kData, "rank ", rank, " has ", words[0], " rows, but its global_rows cover ", n_rows, kCure);
}

/// \throws Error(kData) unless the ranges are rows 0 .. N - 1.
void RequireWhole(std::vector<OwnedRange> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](auto const& a, auto const& b) {
    return std::pair(a.rows.first, a.rank) < std::pair(b.rows.first, b.rank);
  });
  std::int64_t end = 0;
  std::size_t before = 0;  // the rank whose rows end there
  for (auto const& [rows, rank] : ranges) {
    if (rows.count == 0) continue;
    if (rows.first < end) {
      Fail(ErrorKind::kData, "row ", rows.first, " of all ranks is on rank ", std::min(before, rank), " and on rank ",
           std::max(before, rank), kCure);
    }
    if (rows.first > end) {
      Fail(ErrorKind::kData, "row ", end, " of all ranks is on no rank, but row ", rows.first, " is on rank ", rank,
           kCure);
    }
    end += rows.count;
    before = rank;
  }
}

}  // namespace

std::vector<RowRange> JoinedRanges(std::vector<RowRange> const& ranges) {
  std::vector<RowRange> joined;
  for (auto const& range : ranges) {
    if (!IsRange(range)) {
      Fail(ErrorKind::kData, "global_rows: a range begins at row ", range.first, " and has ", range.count,
           " rows; ranges must lie within 0 to ", kMostGlobalRows, ", the most rows of all ranks.");
    }
    if (range.count == 0) continue;
    if (!joined.empty() && joined.back().first + joined.back().count == range.first) {
      joined.back().count += range.count;
    } else {
      joined.push_back(range);
    }
  }
  return joined;
}

std::vector<RowRange> CheckedRanges(std::vector<RowRange> const& ranges) {
  auto joined = JoinedRanges(ranges);
  auto sorted = joined;
  std::sort(sorted.begin(), sorted.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i - 1].first + sorted[i - 1].count <= sorted[i].first) continue;
    Fail(ErrorKind::kData, "global_rows: row ", sorted[i].first, " is given twice; give each row once.");
  }
  return joined;
}

std::vector<RowRange> RangesOf(MetaInfo const& info) {
  if (info.global_rows.empty() && info.n_rows > 0) return {{0, info.n_rows}};
  auto ranges = JoinedRanges(info.global_rows);
  std::int64_t n_rows = 0;
  for (auto const& range : ranges) n_rows += range.count;
  if (n_rows != info.n_rows) FailRangeCount(n_rows, info.n_rows);
  return ranges;
}

void FailRangeCount(std::int64_t n_in_ranges, std::int64_t n_rows) {
  Fail(ErrorKind::kData, "global_rows cover ", n_in_ranges, " rows in all, but the data have ", n_rows,
       "; give the ranges of exactly these rows.");
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
    if (!IsRange(range) || range.count == 0)
      FailParcel("a range of rows is invalid, with the length " + std::to_string(range.count));
    n_rows += range.count;
    if (n_rows > kMostGlobalRows) FailParcel("one rank sends more than " + std::to_string(kMostGlobalRows) + " rows");
  }
  return n_rows;
}

std::int64_t CountRowsOfRanks(std::vector<std::vector<RowRange>> const& ranges) {
  std::int64_t n_rows = 0;
  for (auto const& of_rank : ranges) n_rows += RowsIn(of_rank);
  if (n_rows > kMostGlobalRows) FailTooMany(n_rows);
  for (auto const& of_rank : ranges) {
    for (auto const& range : of_rank) {
      if (range.first + range.count > n_rows) FailPartition(range.first + range.count - 1);
    }
  }
  return n_rows;
}

void FailPartition(std::int64_t row) {
  Fail(ErrorKind::kData, "the ranks do not have each row exactly once: row ", row,
       " is on two ranks, or rows before it are on none", kCure);
}

std::int64_t CountGlobalRows(Context const& ctx, std::int64_t n_rows_here) {
  if (!IsDistributed(ctx)) return n_rows_here;
  auto const n_rows = SumOverRanks(ctx, n_rows_here);
  if (n_rows > kMostGlobalRows) FailTooMany(n_rows);
  if (n_rows >= n_rows_here) return n_rows;
  Fail(ErrorKind::kCollective, "the sum of all ranks' numbers of rows is wrong: got ", n_rows,
       ", but this rank alone has ", n_rows_here, ". Check that the transport delivers every byte unchanged.");
}

void RequirePartition(Context const& ctx, MetaInfo const& info) {
  if (!IsDistributed(ctx)) return;
  std::vector<OwnedRange> all;
  auto const ranks = GatherOverRanks(ctx, Announce(info));
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    auto const ranges = RangesOfRank(ranks[rank], rank);
    all.insert(all.end(), ranges.begin(), ranges.end());
  }
  RequireWhole(std::move(all));
}

}  // namespace kauri
