#include "data/copies/folds.h"

#include <algorithm>
#include <utility>

#include "common/shuffle/shuffle.h"
#include "kauri/error.h"
#include "kauri/span.h"

namespace kauri {
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

}  // namespace kauri
