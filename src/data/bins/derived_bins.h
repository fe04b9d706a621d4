/// \file The bins of a matrix's values, kept with it for the next training.
#pragma once

#include <memory>

#include "data/bins/bin_matrix.h"
#include "data/derived_data.h"
#include "data/memory_budget.h"
#include "data/sketch/quantile_sketch.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// What bins are made with, and how much of what is derived the matrix may keep.
struct BinOptions {
  int max_bin = 256;
  SketchOptions sketch;
  MemoryBudget budget;
};

/// What the bins depend on whose cuts count `weights` (as CutOptions does).
DerivedKey BinsKey(MetaInfo const& info, BinOptions const& options, std::vector<float> weights);

/// Bins that nothing but the caller keeps.
std::shared_ptr<BinMatrix const> MakeBins(Context const& ctx, DataMatrix const& data, DerivedKey const& key,
                                          BinOptions const& options);

/// The bins of `data` as its info is now; made at the first call with a key, BinsKey of the same options and weights.
/// The bytes are those of bins made anew. In a group all ranks call it; theirs are taken again where every rank brings
/// the matrix that it brought before. \throws as MakeQuantileCuts does.
std::shared_ptr<BinMatrix const> DeriveBins(Context const& ctx, DataMatrix const& data, DerivedKey const& key,
                                            BinOptions const& options);

/// Those of the last training with a histogram method, or null where none are kept.
std::shared_ptr<BinMatrix const> LatestBins(DataMatrix const& data);

}  // namespace kauri
