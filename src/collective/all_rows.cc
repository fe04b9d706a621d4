#include "collective/all_rows.h"

#include <algorithm>
#include <cmath>

#include "collective/reduce.h"
#include "collective/row_ranges.h"
#include "kauri/error.h"

namespace kauri {
namespace {

/// \throws Error(kData) unless every row has the same number of values.
void CheckWidth(RowColumn const& column, std::int64_t n_rows) {
  auto const size = static_cast<std::int64_t>(column.values.size());
  if (n_rows == 0 ? size == 0 : size % n_rows == 0) return;
  Fail(ErrorKind::kData, size, " ", column.name, " for ", n_rows, " rows; expected the same number for every row");
}

Parcel Pack(MetaInfo const& info, std::vector<RowColumn> const& columns) {
  Parcel parcel;
  parcel.Add(RangesOf(info));
  for (auto const& column : columns) {
    CheckWidth(column, info.n_rows);
    parcel.Add(column.values);
  }
  return parcel;
}

/// The rows and columns of one rank.
struct RankRows {
  std::vector<RowRange> ranges;
  std::int64_t n_rows;
  std::vector<std::vector<float>> columns;
};

/// Reads the rows of one rank and checks that every row has the same number of values in each column.
RankRows Open(OpenParcel* parcel, std::size_t n_columns) {
  RankRows rank{parcel->Take<RowRange>(), 0, {}};
  rank.n_rows = RowsIn(rank.ranges);
  for (std::size_t column = 0; column < n_columns; ++column) {
    auto values = parcel->Take<float>();
    auto const size = static_cast<std::int64_t>(values.size());
    if (rank.n_rows == 0 ? size > 0 : size % rank.n_rows != 0) {
      FailParcel(std::to_string(size) + " values for " + std::to_string(rank.n_rows) +
                 " rows; expected the same number for every row");
    }
    rank.columns.push_back(std::move(values));
  }
  return rank;
}

/// Returns the number of values per row, which must be the same on all ranks with rows.
std::size_t CommonWidth(std::vector<RankRows> const& ranks, std::size_t column, std::string const& name) {
  RankRows const* first = nullptr;
  auto const width_of = [&](RankRows const& rank) { return rank.columns[column].size() / ToSize(rank.n_rows); };
  for (auto const& rank : ranks) {
    if (rank.n_rows == 0) continue;
    if (first == nullptr) first = &rank;
    if (width_of(rank) == width_of(*first)) continue;
    Fail(ErrorKind::kData, "the ranks have ", width_of(*first), " and ", width_of(rank), " ", name,
         " per row; give all ranks the same number per row");
  }
  return first == nullptr ? 0 : width_of(*first);
}

/// \throws Error(kData) for a row that occurs twice. The number of rows is correct, so without duplicates none is
/// missing.
void RequireOnce(std::vector<RankRows> const& ranks, std::int64_t n_rows) {
  std::vector<bool> is_taken(ToSize(n_rows));
  for (auto const& rank : ranks) {
    for (auto const& range : rank.ranges) {
      for (auto row = range.first; row < range.first + range.count; ++row) {
        if (is_taken[row]) FailPartition(row);
        is_taken[row] = true;
      }
    }
  }
}

std::vector<float> InOrder(std::vector<RankRows> const& ranks, std::size_t column, std::size_t width,
                           std::int64_t n_rows) {
  std::vector<float> all(ToSize(n_rows) * width);
  auto const n_values = static_cast<std::int64_t>(width);
  for (auto const& rank : ranks) {
    auto from = rank.columns[column].begin();
    for (auto const& range : rank.ranges) {
      std::copy_n(from, range.count * n_values, all.begin() + range.first * n_values);
      from += range.count * n_values;
    }
  }
  return all;
}

/// Checks labels and weights, because the metrics and quantiles that read them do not. A label of a table may be
/// missing (silent).
void CheckLabels(MetaInfo const& info) {
  for (auto const label : info.labels) {
    auto const is_missing_label = info.n_targets > 1 && std::isnan(label);
    if (!is_missing_label && !std::isfinite(label)) FailParcel("expected finite labels, got " + std::to_string(label));
  }
  for (auto const weight : info.weights) {
    if (!(weight >= 0.0F)) FailParcel("expected weights of at least 0, got " + std::to_string(weight));
  }
}

}  // namespace

AllRows GatherRows(Context const& ctx, MetaInfo const& info, std::vector<RowColumn> const& columns) {
  std::vector<RankRows> ranks;
  std::vector<std::vector<RowRange>> ranges;
  for (auto& parcel : GatherParcels(ctx, Pack(info, columns))) {
    ranks.push_back(Open(&parcel, columns.size()));
    ranges.push_back(ranks.back().ranges);
  }
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < columns.size(); ++column) {
    widths.push_back(CommonWidth(ranks, column, columns[column].name));
  }
  AllRows all;
  all.n_rows = CountRowsOfRanks(ranges);
  RequireOnce(ranks, all.n_rows);
  for (std::size_t column = 0; column < columns.size(); ++column) {
    all.columns.push_back(InOrder(ranks, column, widths[column], all.n_rows));
  }
  return all;
}

AllLabels GatherLabels(Context const& ctx, MetaInfo const& info, Span<float const> values) {
  auto rows = GatherRows(ctx, info, {{"labels", info.labels}, {"weights", info.weights}, {"values", values}});
  AllLabels all;
  all.info.n_rows = rows.n_rows;
  all.info.labels = std::move(rows.columns[0]);
  all.info.weights = std::move(rows.columns[1]);
  all.values = std::move(rows.columns[2]);
  if (rows.n_rows > 0) all.info.n_targets = static_cast<std::int64_t>(all.info.labels.size()) / rows.n_rows;
  CheckLabels(all.info);
  return all;
}

}  // namespace kauri
