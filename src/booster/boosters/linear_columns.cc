#include "booster/boosters/linear_columns.h"

#include <cmath>

#include "common/threads/parallel_for.h"
#include "kauri/error.h"

namespace kauri {

LinearColumns::LinearColumns(Context const& ctx, DataMatrix const& data) {
  if (data.NumRows() > 0xFFFFFFFFLL) {
    Fail(ErrorKind::kData, "gblinear was given ", data.NumRows(), " rows; it takes at most 4294967295.");
  }
  auto const n_entries = static_cast<std::size_t>(data.NumEntries());
  column_ptr_.assign(static_cast<std::size_t>(data.NumCols()) + 1, 0);
  values_.resize(n_entries);
  if (data.HasMissing()) rows_.resize(n_entries);
  if (data.IsDense()) {
    TakeDense(ctx, data);
  } else {
    TakeSparse(data);
  }
}

void LinearColumns::TakeDense(Context const& ctx, DataMatrix const& data) {
  auto const n_cols = static_cast<std::size_t>(data.NumCols());
  auto const* const cells = data.Dense().values.data();
  auto const for_present = [&](std::int64_t feature, auto&& fn) {
    auto const* value = cells + feature;
    for (std::int64_t row = 0; row < data.NumRows(); ++row, value += n_cols) {
      if (!std::isnan(*value)) fn(row, *value);
    }
  };
  ParallelFor(ctx, data.NumCols(), [&](std::int64_t feature) {
    auto& count = column_ptr_[feature + 1];
    if (!data.HasMissing()) {
      count = data.NumRows();
    } else {
      for_present(feature, [&](std::int64_t, float) { ++count; });
    }
  });
  for (std::size_t i = 1; i <= n_cols; ++i) column_ptr_[i] += column_ptr_[i - 1];
  ParallelFor(ctx, data.NumCols(), [&](std::int64_t feature) {
    auto next = static_cast<std::size_t>(column_ptr_[feature]);
    for_present(feature, [&](std::int64_t row, float value) {
      if (!rows_.empty()) rows_[next] = static_cast<std::uint32_t>(row);
      values_[next++] = value;
    });
  });
}

void LinearColumns::TakeSparse(DataMatrix const& data) {
  auto const& csr = data.Csr();
  for (auto const feature : csr.features) ++column_ptr_[feature + 1];
  for (std::size_t i = 1; i < column_ptr_.size(); ++i) column_ptr_[i] += column_ptr_[i - 1];
  std::vector<std::int64_t> cursor(column_ptr_.begin(), column_ptr_.end() - 1);
  for (std::size_t row = 0; row + 1 < csr.row_ptr.size(); ++row) {
    for (auto entry = csr.row_ptr[row]; entry < csr.row_ptr[row + 1]; ++entry) {
      auto const from = static_cast<std::size_t>(entry);
      auto const to = static_cast<std::size_t>(cursor[csr.features[from]]++);
      rows_[to] = static_cast<std::uint32_t>(row);
      values_[to] = csr.values[from];
    }
  }
}

LinearColumn LinearColumns::Column(std::int64_t feature) const {
  auto const begin = static_cast<std::size_t>(column_ptr_[feature]);
  auto const size = static_cast<std::size_t>(column_ptr_[feature + 1]) - begin;
  LinearColumn column;
  column.values = {values_.data() + begin, size};
  if (!rows_.empty()) column.rows = {rows_.data() + begin, size};
  return column;
}

}  // namespace kauri
