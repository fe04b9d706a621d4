/// \file The bins of a matrix's values, cached with the matrix for the next training.
#pragma once

#include <memory>

#include "data/bins/bin_matrix.h"
#include "data/derived_data.h"
#include "data/memory_budget.h"
#include "data/sketch/quantile_sketch.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// Parameters of the bins, and the memory that the matrix may use for derived data.
struct BinOptions {
  int max_bin = 256;
  SketchChoice sketch;  ///< null: exact
  MemoryBudget budget;
};

/// Returns the key of the bins whose cuts use `weights` (see CutOptions).
DerivedKey BinsKey(MetaInfo const& info, BinOptions const& options, std::vector<float> weights);

/// Makes bins that are not cached.
std::shared_ptr<BinMatrix const> MakeBins(Context const& ctx, DataMatrix const& data, DerivedKey const& key,
                                          BinOptions const& options);

/// Returns the bins of `data` with its current metadata. The first call with a key makes them; `key` is the BinsKey of
/// the same options and weights. Cached bins equal newly made ones byte by byte. In a group all ranks call it; cached
/// bins are used again if every rank passes the same matrix as before. \throws as MakeQuantileCuts does.
std::shared_ptr<BinMatrix const> DeriveBins(Context const& ctx, DataMatrix const& data, DerivedKey const& key,
                                            BinOptions const& options);

/// Returns the bins of the last training with a histogram method, or null if none are cached.
std::shared_ptr<BinMatrix const> LatestBins(DataMatrix const& data);

}  // namespace kauri
