/// \file Matrices made from the rows of another: chosen rows, the rows of the folds of a cross-validation, or the rows
/// as bins, for trainings that share them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/meta_info.h"
#include "kauri/span.h"

namespace kauri {

/// Copies the rows with all their metadata: labels, weights, margins, bounds, and the names and types of the features.
/// Leaves out the global row numbers of a group's ranks: the chosen rows form a table of their own. A row may be chosen
/// more than once. With `allow_groups`, neighbouring chosen rows of one query form a query of the result, which keeps
/// the query's weight. \throws Error(kData) for a row out of range, or for queries without `allow_groups`.
std::unique_ptr<DataMatrix> Slice(Context const& ctx, DataMatrix const& matrix, Span<std::int32_t const> rows,
                                  bool allow_groups);

/// Row numbers, ascending.
struct Fold {
  std::vector<std::int32_t> train;
  std::vector<std::int32_t> test;
};

struct FoldOptions {
  std::int64_t n_folds = 3;
  bool stratified = false;  ///< every fold has the same share of each label
  std::uint64_t seed = 0;   ///< seed of the permutation of the rows
};

/// Returns folds in which every row is a test row of one fold and a training row of the others; queries stay whole. The
/// sizes of folds differ by at most one row or query. In stratified folds the counts of each label differ by at most
/// one, too. The folds are the same as in kauriboost.cv.
/// \throws Error(kParameter) for more folds than rows or queries, and for queries with `stratified`; Error(kData) with
/// `stratified` unless there is one label per row.
std::vector<Fold> MakeFolds(Context const& ctx, MetaInfo const& info, FoldOptions const& options);

/// Returns a matrix of the bins that tree_method=hist makes of the rows, types and weights of `matrix`, with all other
/// metadata. Slices of it keep its cuts and copy its codes, so no rows are cut and encoded again. Uses the bins that
/// `matrix` has cached for its own training if their max_bin is the same; a matrix of bins shares its own. Costs the
/// making of bins. \throws Error(kParameter) for another max_bin than the max_bin of a matrix of bins; Error(kData) for
/// a matrix of bins whose columns have other types now; as MakeQuantileCuts does.
std::unique_ptr<DataMatrix> WithBins(Context const& ctx, DataMatrix const& matrix, int max_bin);

}  // namespace kauri
