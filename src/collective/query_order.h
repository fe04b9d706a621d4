/// \file Query groups of all ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/collective.h"
#include "kauri/meta_info.h"

namespace kauri {

/// The groups of all ranks are numbered in the order of their rows; each lies whole on one rank. A group without rows
/// goes with the rows before it on its rank; on a rank without rows there are none.
class QueryOrder {
 public:
  /// With several ranks one call of Gather: 24 bytes per range of rows. \throws Error(kData) for a group whose rows do
  /// not follow each other among those of all ranks, and unless the ranks have each row exactly once;
  /// Error(kCollective) for bytes that are not what a rank has.
  QueryOrder(Context const& ctx, MetaInfo const& info);

  /// Groups of this rank.
  std::int64_t NumMine() const { return n_mine_; }
  std::int64_t NumGroups() const { return n_groups_; }  ///< of all ranks
  std::int64_t NumRows() const { return n_rows_; }      ///< of all ranks
  /// Among the groups of all ranks. group: of this rank.
  std::int64_t Number(std::int64_t group) const { return numbers_.empty() ? group : numbers_[group]; }

 private:
  void NumberOverRanks(Context const& ctx, MetaInfo const& info);

  std::int64_t n_mine_ = 0;
  std::int64_t n_groups_ = 0;
  std::int64_t n_rows_ = 0;
  std::vector<std::int64_t> numbers_;  ///< [n_mine] with several ranks
};

}  // namespace kauri
