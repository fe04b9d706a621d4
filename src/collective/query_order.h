/// \file Query groups of all ranks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "collective/reduce.h"
#include "kauri/collective.h"
#include "kauri/meta_info.h"

namespace kauri {

namespace detail {

/// The value of a rank for one of its groups. Members have no padding between them, because all bytes are sent.
template <typename T>
struct OfGroup {
  static_assert(alignof(T) == alignof(std::int64_t));
  std::int64_t number;
  T value;
};

}  // namespace detail

/// The query groups of all ranks, numbered in the order of their rows. Each group lies completely on one rank. A group
/// without rows follows the rows before it on its rank; a rank without rows has no groups.
class QueryOrder {
 public:
  /// With several ranks, this makes one call of Gather with 24 bytes per range of rows. \throws Error(kData) for a
  /// group whose rows are not consecutive among the rows of all ranks, and unless the ranks have each row exactly once;
  /// Error(kCollective) for a message that is inconsistent with the rank's rows.
  QueryOrder(Context const& ctx, MetaInfo const& info);

  /// Returns the number of groups of this rank.
  std::int64_t NumMine() const { return n_mine_; }
  std::int64_t NumGroups() const { return n_groups_; }  ///< over all ranks
  std::int64_t NumRows() const { return n_rows_; }      ///< over all ranks
  /// Returns the number of a group among the groups of all ranks. group: a group of this rank.
  std::int64_t Number(std::int64_t group) const { return numbers_.empty() ? group : numbers_[group]; }

 private:
  void NumberOverRanks(Context const& ctx, MetaInfo const& info);

  std::int64_t n_mine_ = 0;
  std::int64_t n_groups_ = 0;
  std::int64_t n_rows_ = 0;
  std::vector<std::int64_t> numbers_;  ///< [n_mine] with several ranks
};

/// Returns the values of all groups, ordered by group number, on every rank. mine: [order.NumMine()], trivially
/// copyable. Requires IsDistributed. \throws Error(kCollective) unless each group of `order` occurs once.
template <typename T>
std::vector<T> GatherByGroup(Context const& ctx, QueryOrder const& order, std::vector<T> const& mine) {
  std::vector<detail::OfGroup<T>> numbered;
  for (std::int64_t group = 0; group < order.NumMine(); ++group) numbered.push_back({order.Number(group), mine[group]});
  Parcel parcel;
  parcel.Add(numbered);
  std::vector<detail::OfGroup<T>> all;
  for (auto& of_rank : GatherParcels(ctx, parcel)) {
    auto const given = of_rank.Take<detail::OfGroup<T>>();
    all.insert(all.end(), given.begin(), given.end());
  }
  std::sort(all.begin(), all.end(), [](auto const& a, auto const& b) { return a.number < b.number; });
  std::vector<T> values;
  for (auto const& [number, value] : all) {
    if (number != static_cast<std::int64_t>(values.size()))
      FailParcel("a group is missing or repeated before query group " + std::to_string(number));
    values.push_back(value);
  }
  if (static_cast<std::int64_t>(values.size()) != order.NumGroups()) FailParcel("some query groups are missing");
  return values;
}

}  // namespace kauri
