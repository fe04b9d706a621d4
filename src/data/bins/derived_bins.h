/// \file The bins of a matrix's values, cached with the matrix for the next training, and the options of bins in a
/// tree's parameters.
///
/// BinsOfTraining are the bins that a tree method trains with, from tree to tree.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "data/bins/bin_matrix.h"
#include "data/bins/bin_store.h"
#include "data/derived_data.h"
#include "data/memory_budget.h"
#include "data/sketch/quantile_sketch.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/registry.h"
#include "kauri/tree_param.h"

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

/// Remembers the cuts of a tree whose bins are not cached: tree_method=approx cuts each tree's bins by its hessians.
void RememberTreeCuts(DataMatrix const& data, QuantileCuts const& cuts, MemoryBudget const& budget);

/// Returns the cuts that the last tree of a histogram method was built with, if they are still known.
std::optional<QuantileCuts> LatestCuts(DataMatrix const& data);

/// Returns the sketch that the parameters choose. \throws Error(kParameter) for a sketch that is not registered.
inline SketchChoice SketchOf(TreeParam const& param) {
  if (param.sketch == TreeParam::kExact) return nullptr;
  return SketchRegistry().Find(param.__DICT__().at("sketch")).make(param);
}

inline BinOptions TreeBinOptions(TreeParam const& param, MemoryBudget const& budget) {
  return {param.max_bin, SketchOf(param), budget};
}

/// The current bins of one matrix. The cuts depend on the weights and on the types of the columns, which may change
/// between two trees. A matrix that stores bins keeps them.
class BinsOfTraining {
 public:
  explicit BinsOfTraining(BinOptions const& options) : options_(options) {}

  BinOptions const& Options() const { return options_; }
  /// Returns whether the bins that Make returned last no longer fit `data`. The caller then releases them before the
  /// next Make, which needs as much memory again. In a group all ranks call it, and the result holds for the matrices
  /// of all.
  bool IsStale(Context const& ctx, DataMatrix const& data);
  /// Returns the bins of `data` with its current metadata. In a group all ranks call it. \throws as DeriveBins and
  /// BinStore::InMemory do; in a group also Error(kCollective) if some ranks store bins and some values, and
  /// Error(kData) for bins that each rank made on its own.
  std::shared_ptr<BinMatrix const> Make(Context const& ctx, DataMatrix const& data);

 private:
  BinOptions options_;
  std::uint64_t revision_ = 0;  ///< revision of the metadata for which key_ is known to be valid
  DerivedKey key_;              ///< key of the bins that Make returned last
};

/// Checks that all ranks keep rows in the same way, and with the same layout of bins. bins: of this rank's matrix;
/// nullptr for values. \throws Error(kCollective) if they keep rows in different ways; Error(kData) for bins that each
/// rank made on its own.
void RequireSameBins(Context const& ctx, BinStore const* bins);

/// Checks that the bins of a matrix were made with the parameters of training. \throws Error(kParameter) for another
/// max_bin; Error(kData) for other types of columns.
void CheckBins(BinStore const& bins, MetaInfo const& info, int max_bin);

/// Checks that training on bins asks for no sketch, which would change nothing. \throws Error(kParameter).
void CheckSketchOfBins(SketchChoice const& sketch);

}  // namespace kauri
