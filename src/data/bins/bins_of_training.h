/// \file The bins that a tree method trains with, from tree to tree.
#pragma once

#include <cstdint>
#include <memory>

#include "data/bins/bin_store.h"
#include "data/bins/derived_bins.h"

namespace kauri {

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

/// Checks that the bins of a matrix were made with the parameters of training. \throws Error(kParameter) for another
/// max_bin; Error(kData) for other types of columns.
void CheckBins(BinStore const& bins, MetaInfo const& info, int max_bin);

}  // namespace kauri
