#include "collective/all_rows.h"

#include <algorithm>

#include "collective/parcel.h"
#include "collective/row_ranges.h"
#include "kauri/error.h"

namespace kauri {
namespace {

/// Values of each row of this rank. \throws Error(kData).
std::int64_t WidthOf(RowColumn const& column, std::int64_t n_rows) {
  auto const size = static_cast<std::int64_t>(column.values.size());
  if (size == 0 || (n_rows > 0 && size % n_rows == 0)) return n_rows == 0 ? 0 : size / n_rows;
  Fail(ErrorKind::kData, size, " ", column.name, " for ", n_rows, " rows; give every row as many");
}

Parcel Pack(MetaInfo const& info, std::vector<RowColumn> const& columns) {
  Parcel parcel;
  parcel.Add(RangesOf(info));
  std::vector<std::int64_t> widths;
  for (auto const& column : columns) widths.push_back(WidthOf(column, info.n_rows));
  parcel.Add(widths);
  for (auto const& column : columns) parcel.Add(column.values);
  return parcel;
}

void FailWidths(std::string const& name, std::int64_t one, std::int64_t other) {
  Fail(ErrorKind::kData, "the ranks have ", one, " and ", other, " ", name,
       " for each row; give them on all ranks, as ", "many for each row");
}

/// Puts the rows of all ranks in their places, once for each column.
class RowPlaces {
 public:
  explicit RowPlaces(std::vector<std::vector<RowRange>> ranges)
      : ranges_(std::move(ranges)), n_rows_(CountRows(ranges_)) {
    std::vector<bool> is_taken(ToSize(n_rows_));
    for (auto const& of_rank : ranges_) {
      for (auto const& range : of_rank) Take(range, &is_taken);
    }
  }

  std::int64_t NumRows() const { return n_rows_; }
  bool HasRows(std::size_t rank) const { return !ranges_[rank].empty(); }
  /// values: of the rows of the rank.
  void Copy(std::size_t rank, std::int64_t width, std::vector<float> const& values, std::vector<float>* out) const {
    auto from = values.begin();
    for (auto const& range : ranges_[rank]) {
      if (values.end() - from < range.count * width) {
        Fail(ErrorKind::kCollective, "rank ", rank, " gave ", values.size(),
             " values, fewer than its rows have; all ranks must run the same version");
      }
      std::copy_n(from, range.count * width, out->begin() + range.first * width);
      from += range.count * width;
    }
  }

 private:
  /// As many rows as there are, none of them twice: then none is missing.
  static void Take(RowRange const& range, std::vector<bool>* is_taken) {
    for (auto row = range.first; row < range.first + range.count; ++row) {
      if ((*is_taken)[row]) FailPartition(row);
      (*is_taken)[row] = true;
    }
  }

  std::vector<std::vector<RowRange>> ranges_;
  std::int64_t n_rows_;
};

/// widths: [n_ranks][n_columns]. Of the ranks that have rows.
std::int64_t CommonWidth(RowPlaces const& places, std::vector<std::vector<std::int64_t>> const& widths,
                         std::size_t column, std::string const& name) {
  std::int64_t common = -1;
  for (std::size_t rank = 0; rank < widths.size(); ++rank) {
    if (!places.HasRows(rank)) continue;
    auto const width = widths[rank].at(column);
    if (common >= 0 && width != common) FailWidths(name, common, width);
    common = width;
  }
  return std::max<std::int64_t>(common, 0);
}

}  // namespace

AllRows GatherRows(Context const& ctx, MetaInfo const& info, std::vector<RowColumn> const& columns) {
  auto parcels = GatherParcels(ctx, Pack(info, columns));
  std::vector<std::vector<RowRange>> ranges;
  std::vector<std::vector<std::int64_t>> widths;
  for (auto& parcel : parcels) {
    ranges.push_back(parcel.Take<RowRange>());
    widths.push_back(parcel.Take<std::int64_t>());
  }
  RowPlaces const places(std::move(ranges));
  AllRows all;
  all.n_rows = places.NumRows();
  for (std::size_t column = 0; column < columns.size(); ++column) {
    auto const width = CommonWidth(places, widths, column, columns[column].name);
    all.columns.emplace_back(ToSize(all.n_rows * width));
    for (std::size_t rank = 0; rank < parcels.size(); ++rank) {
      places.Copy(rank, width, parcels[rank].Take<float>(), &all.columns.back());
    }
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
  return all;
}

}  // namespace kauri
