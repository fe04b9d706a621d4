/// \file The bins that a tree method trains with, from tree to tree.
#pragma once

#include <cstdint>
#include <memory>

#include "data/bins/bin_store.h"
#include "data/bins/derived_bins.h"

namespace kauri {

/// Which bins those of one matrix are, and when they have to be others: the cuts follow from the weights and the types
/// of the columns, which may be set anew between two trees. A matrix that has bins keeps them.
class BinsOfTraining {
 public:
  explicit BinsOfTraining(BinOptions const& options) : options_(options) {}

  BinOptions const& Options() const { return options_; }
  /// Whether what Make returned last are not the bins of `data` any more: let go of them before the next Make, which
  /// takes as much memory. In a group: of the matrices of all ranks, which call it together.
  bool IsStale(Context const& ctx, DataMatrix const& data);
  /// The bins of `data` as its info is now. In a group all ranks call it. \throws as DeriveBins and BinStore::InMemory
  /// do; in a group Error(kCollective) where some ranks keep bins and some values, Error(kData) for bins that ranks
  /// made each for itself.
  std::shared_ptr<BinMatrix const> Make(Context const& ctx, DataMatrix const& data);

 private:
  BinOptions options_;
  std::uint64_t revision_ = 0;  ///< of the info that key_ was found to fit
  DerivedKey key_;              ///< of the bins that Make returned last
};

/// \throws Error(kParameter) that bins in a file are no group's.
[[noreturn]] void RefuseFileInGroup();

/// What the bins of a matrix were made with must be what training is told. \throws Error(kParameter) for another
/// max_bin, Error(kData) for other types of columns.
void CheckBins(BinStore const& bins, MetaInfo const& info, int max_bin);

}  // namespace kauri
