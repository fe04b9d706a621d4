#include "data/copies/slice.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/threads/parallel_for.h"
#include "data/bins/bin_store.h"
#include "data/meta_info.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 10;
using Rows = Span<std::int32_t const>;

void CheckRows(DataMatrix const& matrix, Rows rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0 || rows[i] >= matrix.NumRows()) {
      Fail(ErrorKind::kData, "slice: element ", i, " asks for row ", rows[i], ", but there are ", matrix.NumRows(),
           " rows.");
    }
  }
}

DenseStorage SliceDense(Context const& ctx, DataMatrix const& matrix, Rows rows) {
  DenseStorage out;
  auto const n_cols = matrix.NumCols();
  out.values.resize(rows.size() * static_cast<std::size_t>(n_cols));
  auto const* from = matrix.Dense().values.data();
  ParallelForBlocks(ctx, static_cast<std::int64_t>(rows.size()), kRowsPerBlock,
                    [&](std::int64_t begin, std::int64_t end, std::int64_t) {
                      for (auto row = begin; row < end; ++row) {
                        auto const source = std::int64_t{rows[row]};
                        std::copy_n(from + source * n_cols, n_cols, out.values.data() + row * n_cols);
                      }
                    });
  return out;
}

CsrStorage SliceCsr(CsrStorage const& from, Rows rows) {
  CsrStorage out;
  out.row_ptr.reserve(rows.size() + 1);
  out.row_ptr.push_back(0);
  for (auto const row : rows) {
    auto const begin = from.row_ptr[row];
    auto const end = from.row_ptr[row + 1];
    out.features.insert(out.features.end(), from.features.begin() + begin, from.features.begin() + end);
    out.values.insert(out.values.end(), from.values.begin() + begin, from.values.begin() + end);
    out.row_ptr.push_back(static_cast<std::int64_t>(out.features.size()));
  }
  return out;
}

/// Returns the chosen rows of [n_rows, width]; empty stays empty.
std::vector<float> Gather(std::vector<float> const& values, std::int64_t n_rows, Rows rows) {
  std::vector<float> out;
  if (values.empty()) return out;
  auto const width = static_cast<std::ptrdiff_t>(values.size()) / n_rows;
  out.reserve(rows.size() * static_cast<std::size_t>(width));
  for (auto const row : rows) {
    auto const first = values.begin() + row * width;
    out.insert(out.end(), first, first + width);
  }
  return out;
}

/// Sets the queries of the chosen rows. `weights` has one per query; the new queries get the weights of their queries.
void SliceGroups(MetaInfo const& from, Rows rows, MetaInfo* to) {
  auto const has_weights = !from.weights.empty();
  to->group_ptr.assign(1, 0);
  std::int64_t previous = -1;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto const after = std::upper_bound(from.group_ptr.begin(), from.group_ptr.end(), std::int64_t{rows[i]});
    auto const group = after - from.group_ptr.begin() - 1;
    if (group != previous) {
      if (i > 0) to->group_ptr.push_back(static_cast<std::int64_t>(i));
      if (has_weights) to->weights.push_back(from.weights[group]);
    }
    previous = group;
  }
  if (!rows.empty()) to->group_ptr.push_back(static_cast<std::int64_t>(rows.size()));
}

void SliceInfo(MetaInfo const& from, Rows rows, MetaInfo* to) {
  to->n_targets = from.n_targets;
  to->labels = Gather(from.labels, from.n_rows, rows);
  to->base_margin = Gather(from.base_margin, from.n_rows, rows);
  to->label_lower_bound = Gather(from.label_lower_bound, from.n_rows, rows);
  to->label_upper_bound = Gather(from.label_upper_bound, from.n_rows, rows);
  if (from.group_ptr.empty()) to->weights = Gather(from.weights, from.n_rows, rows);
  to->feature_weights = from.feature_weights;
  to->feature_names = from.feature_names;
  to->feature_types = from.feature_types;
  to->category_names = from.category_names;
  to->may_name_categories = from.may_name_categories;
  to->may_lack_columns = from.may_lack_columns;
  if (!from.group_ptr.empty()) SliceGroups(from, rows, to);
}

}  // namespace

std::unique_ptr<DataMatrix> Slice(Context const& ctx, DataMatrix const& matrix, Span<std::int32_t const> rows,
                                  bool allow_groups) {
  CheckRows(matrix, rows);
  CheckQueries(matrix.Info());
  if (!matrix.Info().group_ptr.empty() && !allow_groups) {
    Fail(ErrorKind::kData,
         "slice: the matrix has query groups, which a slice may cut; pass allow_groups=true to accept that.");
  }
  if (auto const bins = BinsOf(matrix)) {
    auto const n_rows = static_cast<std::int64_t>(rows.size());
    auto slice = SliceBins(ctx, *bins, rows);
    auto const n_entries = slice->Layout().CountEntries(ctx);
    auto out = DataMatrix::FromStore(std::move(slice), n_rows, matrix.NumCols(), n_entries);
    SliceInfo(matrix.Info(), rows, out->MutableInfo());
    return out;
  }
  auto out = matrix.IsDense() ? DataMatrix::FromDense(SliceDense(ctx, matrix, rows),
                                                      static_cast<std::int64_t>(rows.size()), matrix.NumCols(), ctx)
                              : DataMatrix::FromCsr(SliceCsr(matrix.Csr(), rows), matrix.NumCols(), ctx);
  SliceInfo(matrix.Info(), rows, out->MutableInfo());
  return out;
}

}  // namespace kauri
