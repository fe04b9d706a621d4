/// \file Query groups of all ranks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "collective/parcel.h"
#include "kauri/collective.h"
#include "kauri/meta_info.h"

namespace kauri {

namespace detail {

/// What a rank has of one of its groups. No member leaves a gap before the next: all bytes go over the wire.
template <typename T>
struct OfGroup {
  static_assert(alignof(T) == alignof(std::int64_t));
  std::int64_t number;
  T value;
};

}  // namespace detail

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

/// What the ranks have of each group, by the groups' numbers, on every rank. mine: [order.NumMine()], trivially
/// copyable. Only where IsDistributed. \throws Error(kCollective) unless each group of `order` is there once.
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
