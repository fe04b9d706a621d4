/// \file The rows of the folds of a cross-validation.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/meta_info.h"

namespace kauri {

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

}  // namespace kauri
