#include "data/bins/bin_shape.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "collective/reduce.h"
#include "collective/row_ranges.h"
#include "common/threads/parallel_for.h"
#include "data/matrix_view.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 9;

/// Returns for each feature of sparse data whether it has fewer entries than there are rows: [n_cols].
std::vector<std::uint8_t> FindAbsent(DataMatrix const& data) {
  std::vector<std::int64_t> counts(data.NumCols(), 0);
  for (auto const feature : data.Csr().features) ++counts[feature];
  std::vector<std::uint8_t> missing;
  for (auto const count : counts) missing.push_back(count < data.NumRows() ? 1 : 0);
  return missing;
}

/// Returns for each feature of dense data whether some value is missing: [n_cols].
std::vector<std::uint8_t> FindMissing(Context const& ctx, DataMatrix const& data) {
  auto const n_cols = data.NumCols();
  std::vector<std::uint8_t> missing(n_cols, 0);
  if (!data.HasMissing()) return missing;
  std::vector<std::vector<std::uint8_t>> of_thread(ctx.threads, missing);
  ParallelForBlocks(ctx, data.NumRows(), kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    auto& marks = of_thread[ThreadIndex()];
    for (auto row = begin; row < end; ++row) {
      auto const* values = data.Dense().values.data() + row * n_cols;
      for (std::int64_t feature = 0; feature < n_cols; ++feature) {
        marks[feature] |= static_cast<std::uint8_t>(std::isnan(values[feature]));
      }
    }
  });
  for (auto const& marks : of_thread) {
    for (std::size_t feature = 0; feature < missing.size(); ++feature) missing[feature] |= marks[feature];
  }
  return missing;
}

/// Returns whether the rows of all ranks are stored densely. The decision is the same as for one process with all rows.
bool IsDenseOverRanks(Context const& ctx, DataMatrix const& data) {
  if (MaxOverRanks(ctx, data.IsDense() ? 0 : 1) == 0) return true;
  if (!IsDistributed(ctx)) return false;
  auto const n_rows = CountGlobalRows(ctx, data.NumRows());
  return IsMostlyPresent(SumOverRanks(ctx, data.NumEntries()), n_rows, data.NumCols());
}

}  // namespace

BinShape ShapeOf(Context const& ctx, DataMatrix const& data) {
  BinShape shape;
  shape.n_rows = data.NumRows();
  shape.is_dense = IsDenseOverRanks(ctx, data);
  if (!shape.is_dense) return shape;
  shape.has_missing = data.IsDense() ? FindMissing(ctx, data) : FindAbsent(data);
  std::vector<std::uint64_t> marks(shape.has_missing.begin(), shape.has_missing.end());
  MaxOverRanks(ctx, Span<std::uint64_t>(marks));
  std::transform(marks.begin(), marks.end(), shape.has_missing.begin(),
                 [](std::uint64_t mark) -> std::uint8_t { return mark == 0 ? 0 : 1; });
  return shape;
}

}  // namespace kauri
