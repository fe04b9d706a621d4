#include "data/copies/slice.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/memory_size.h"
#include "common/shuffle/shuffle.h"
#include "common/threads/parallel_for.h"
#include "data/bins/bin_store.h"
#include "data/bins/derived_bins.h"
#include "data/meta_info.h"
#include "data/sketch/cut_weights.h"
#include "kauri/error.h"
#include "kauri/span.h"

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
  out.values.resize(SizeInMemory(static_cast<std::int64_t>(rows.size()) * n_cols));
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

namespace {

using FoldNumbers = std::vector<std::int64_t>;

/// Divides the order into pieces whose lengths differ by at most one, the longer ones first.
FoldNumbers InPieces(std::vector<std::int64_t> const& order, std::int64_t n_folds) {
  FoldNumbers fold_of(order.size());
  auto const n = static_cast<std::int64_t>(order.size());
  std::int64_t place = 0;
  for (std::int64_t fold = 0; fold < n_folds; ++fold) {
    auto const end = place + n / n_folds + (fold < n % n_folds ? 1 : 0);
    for (; place < end; ++place) fold_of[ToSize(order[ToSize(place)])] = fold;
  }
  return fold_of;
}

/// Assigns the rows to folds in turn, sorted by label.
FoldNumbers ByLabels(std::vector<std::int64_t> order, MetaInfo const& info, std::int64_t n_folds) {
  if (info.labels.size() != order.size()) {
    Fail(ErrorKind::kData, "stratified folds need one label per row; there are ", info.labels.size(), " labels for ",
         order.size(), " rows.");
  }
  auto const label = [&](std::int64_t row) { return info.labels[ToSize(row)]; };
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return label(a) < label(b); });
  FoldNumbers fold_of(order.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    fold_of[ToSize(order[place])] = static_cast<std::int64_t>(place) % n_folds;
  }
  return fold_of;
}

/// Returns the number of units assigned to folds: queries, or rows if there are no queries.
std::int64_t NumUnits(MetaInfo const& info) {
  return info.group_ptr.empty() ? info.n_rows : static_cast<std::int64_t>(info.group_ptr.size()) - 1;
}

/// Returns the rows of each fold, given the folds of the units.
std::vector<Fold> RowsOfFolds(MetaInfo const& info, FoldNumbers const& fold_of, std::int64_t n_folds) {
  std::vector<Fold> folds(ToSize(n_folds));
  auto const n_units = NumUnits(info);
  for (std::int64_t unit = 0; unit < n_units; ++unit) {
    auto const begin = info.group_ptr.empty() ? unit : info.group_ptr[ToSize(unit)];
    auto const end = info.group_ptr.empty() ? unit + 1 : info.group_ptr[ToSize(unit) + 1];
    for (std::size_t fold = 0; fold < folds.size(); ++fold) {
      auto* const rows =
          fold_of[ToSize(unit)] == static_cast<std::int64_t>(fold) ? &folds[fold].test : &folds[fold].train;
      for (auto row = begin; row < end; ++row) rows->push_back(static_cast<std::int32_t>(row));
    }
  }
  return folds;
}

}  // namespace

std::vector<Fold> MakeFolds(Context const& ctx, MetaInfo const& info, FoldOptions const& options) {
  auto const has_queries = !info.group_ptr.empty();
  if (options.stratified && has_queries) {
    Fail(ErrorKind::kParameter, "stratified=true does not go with query groups, which stay whole; leave it out.");
  }
  auto const n_units = NumUnits(info);
  if (options.n_folds < 2 || options.n_folds > n_units) {
    Fail(ErrorKind::kParameter, "nfold is ", options.n_folds, "; expected 2 to ", n_units, ", the number of ",
         has_queries ? "query groups." : "rows.");
  }
  auto order = Shuffle(n_units, options.seed).List(ctx);
  auto const fold_of =
      options.stratified ? ByLabels(std::move(order), info, options.n_folds) : InPieces(order, options.n_folds);
  return RowsOfFolds(info, fold_of, options.n_folds);
}

namespace {

std::shared_ptr<BinStore const> StoreOf(Context const& ctx, DataMatrix const& matrix, int max_bin) {
  if (auto bins = BinsOf(matrix)) {
    CheckBins(*bins, matrix.Info(), max_bin);
    return bins;
  }
  BinOptions options;
  options.max_bin = max_bin;
  auto const key = BinsKey(matrix.Info(), options, CutWeights(ctx, matrix.Info()));
  return std::make_shared<BinStore const>(DeriveBins(ctx, matrix, key, options), max_bin);
}

}  // namespace

std::unique_ptr<DataMatrix> WithBins(Context const& ctx, DataMatrix const& matrix, int max_bin) {
  CheckQueries(matrix.Info());
  auto out =
      DataMatrix::FromStore(StoreOf(ctx, matrix, max_bin), matrix.NumRows(), matrix.NumCols(), matrix.NumEntries());
  *out->MutableInfo() = matrix.Info();
  return out;
}

}  // namespace kauri
