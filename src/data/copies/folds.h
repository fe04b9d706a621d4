/// \file Which rows the folds of a cross-validation have.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/meta_info.h"

namespace kauri {

/// Numbers of rows, ascending.
struct Fold {
  std::vector<std::int32_t> train;
  std::vector<std::int32_t> test;
};

struct FoldOptions {
  std::int64_t n_folds = 3;
  bool stratified = false;  ///< every fold has the same share of each label
  std::uint64_t seed = 0;   ///< of the permutation that rows are dealt out in
};

/// Every row is a test row of one fold, and a training row of the others; queries stay whole. Sizes differ by one row,
/// or query, at most; of stratified folds the counts of a label do, too. Those of kauriboost.cv.
/// \throws Error(kParameter) for more folds than rows, or queries, and for queries with `stratified`; Error(kData) for
/// anything but one label a row then.
std::vector<Fold> MakeFolds(Context const& ctx, MetaInfo const& info, FoldOptions const& options);

}  // namespace kauri
