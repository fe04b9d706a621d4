#include "data/csc_adapter.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "common/parallel_for.h"
#include "data/array_dispatch.h"
#include "data/compressed.h"
#include "data/value_rules.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 12;

/// The caller's values and what is missing among them.
struct CscValues {
  CompressedArrays const& csc;
  ArrayView const& values;
  float missing;

  /// fn(row, column, value) for the present entries of columns [begin, end), by column.
  template <typename Fn>
  void ForEach(std::int64_t begin, std::int64_t end, Fn&& fn) const {
    DispatchDType(values.dtype, [&](auto tag) {
      for (auto col = begin; col < end; ++col) {
        auto const last = csc.offsets[static_cast<std::size_t>(col) + 1];
        for (auto entry = csc.offsets[static_cast<std::size_t>(col)]; entry < last; ++entry) {
          auto const value = static_cast<float>(LoadElement<decltype(tag)>(ElementAddress(values, entry, 0)));
          if (value == missing || std::isnan(value)) continue;
          if (std::isinf(value)) FailInfinite(csc.indices[entry], col, value);
          fn(static_cast<std::size_t>(csc.indices[entry]), static_cast<std::uint32_t>(col), value);
        }
      }
    });
  }
};

/// Ranges of columns with about as many entries each: one per thread, but so few that a number per row for each is no
/// more than the entries are. The result is the same for any number.
std::vector<std::int64_t> SplitColumns(Context const& ctx, CompressedArrays const& csc) {
  auto const& offsets = csc.offsets;
  auto const n_entries = offsets.back() - offsets.front();
  auto const most = std::max<std::int64_t>(1, n_entries / std::max<std::int64_t>(1, csc.n_minor));
  auto const n_parts = std::min<std::int64_t>(ctx.threads, most);
  std::vector<std::int64_t> first{0};
  for (std::int64_t part = 1; part < n_parts; ++part) {
    auto const entry = offsets.front() + n_entries / n_parts * part;
    first.push_back(std::lower_bound(offsets.begin(), offsets.end() - 1, entry) - offsets.begin());
  }
  first.push_back(static_cast<std::int64_t>(offsets.size()) - 1);
  return first;
}

using Counts = std::vector<std::vector<std::int64_t>>;  // of each part, [n_rows]

/// Turns the entries of each part's rows into the place of the first; returns the rows' pointers.
std::vector<std::int64_t> PlaceRows(Context const& ctx, std::int64_t n_rows, Counts* of_part) {
  std::vector<std::int64_t> row_ptr(static_cast<std::size_t>(n_rows) + 1, 0);
  auto const for_each_row = [&](auto&& fn) {
    ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
      for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) fn(row);
    });
  };
  for_each_row([&](std::size_t row) {
    for (auto const& counts : *of_part) row_ptr[row + 1] += counts[row];
  });
  for (std::size_t row = 1; row < row_ptr.size(); ++row) row_ptr[row] += row_ptr[row - 1];
  for_each_row([&](std::size_t row) {
    auto next = row_ptr[row];
    for (auto& counts : *of_part) next += std::exchange(counts[row], next);
  });
  return row_ptr;
}

/// The features of the present entries, grouped by row: a counting sort, stable, so features ascend within a row.
CsrStorage Transpose(Context const& ctx, CscValues const& from) {
  auto const first_col = SplitColumns(ctx, from.csc);
  Counts of_part(first_col.size() - 1);
  auto const for_each_part = [&](auto&& fn) {
    ParallelFor(ctx, static_cast<std::int64_t>(of_part.size()), [&](std::int64_t index) {
      auto const part = static_cast<std::size_t>(index);
      fn(first_col[part], first_col[part + 1], &of_part[part]);
    });
  };
  for_each_part([&](std::int64_t begin, std::int64_t end, std::vector<std::int64_t>* counts) {
    counts->assign(static_cast<std::size_t>(from.csc.n_minor), 0);
    from.ForEach(begin, end, [&](std::size_t row, std::uint32_t, float) { ++(*counts)[row]; });
  });
  CsrStorage csr;
  csr.row_ptr = PlaceRows(ctx, from.csc.n_minor, &of_part);
  csr.features.resize(static_cast<std::size_t>(csr.row_ptr.back()));
  csr.values.resize(csr.features.size());
  for_each_part([&](std::int64_t begin, std::int64_t end, std::vector<std::int64_t>* next) {
    from.ForEach(begin, end, [&](std::size_t row, std::uint32_t col, float value) {
      auto const slot = static_cast<std::size_t>((*next)[row]++);
      csr.features[slot] = col;
      csr.values[slot] = value;
    });
  });
  return csr;
}

}  // namespace

std::unique_ptr<DataMatrix> MakeCscMatrix(Context const& ctx, ArrayView const& indptr, ArrayView const& indices,
                                          ArrayView const& values, std::int64_t n_rows, float missing) {
  if (values.shape[1] != 1) Fail(ErrorKind::kData, "CSC values must be a vector.");
  auto const csc = ReadCompressed(ctx, {"CSC", "column", "row"}, indptr, indices, values.Size(), n_rows);
  return DataMatrix::FromCsr(Transpose(ctx, {csc, values, missing}), static_cast<std::int64_t>(csc.offsets.size()) - 1,
                             ctx);
}

}  // namespace kauri
