#include "objective/all_groups.h"

#include <algorithm>

#include "collective/parcel.h"
#include "collective/query_order.h"
#include "kauri/error.h"

namespace kauri {
namespace {

/// A group with its number among those of all ranks.
struct NumberedGroup {
  std::int64_t number;
  std::int64_t n_rows;
  float weight;
};

std::vector<NumberedGroup> GroupsOf(MetaInfo const& info, QueryOrder const& order) {
  std::vector<NumberedGroup> groups;
  for (std::int64_t group = 0; group < order.NumMine(); ++group) {
    groups.push_back({order.Number(group), info.group_ptr[group + 1] - info.group_ptr[group], info.Weight(group)});
  }
  return groups;
}

/// Of all ranks, by their numbers.
std::vector<NumberedGroup> GatherNumbered(Context const& ctx, std::vector<NumberedGroup> const& mine) {
  Parcel parcel;
  parcel.Add(mine);
  std::vector<NumberedGroup> groups;
  for (auto& of_rank : GatherParcels(ctx, parcel)) {
    auto const given = of_rank.Take<NumberedGroup>();
    groups.insert(groups.end(), given.begin(), given.end());
  }
  std::sort(groups.begin(), groups.end(), [](auto const& a, auto const& b) { return a.number < b.number; });
  return groups;
}

}  // namespace

AllLabels GatherGroups(Context const& ctx, MetaInfo const& info, Span<float const> margins) {
  QueryOrder const order(ctx, info);
  auto rows = GatherRows(ctx, info, {{"labels", info.labels}, {"margins", margins}});
  AllLabels all;
  all.info.n_rows = rows.n_rows;
  all.info.labels = std::move(rows.columns[0]);
  all.values = std::move(rows.columns[1]);
  all.info.group_ptr = {0};
  for (auto const& group : GatherNumbered(ctx, GroupsOf(info, order))) {
    auto const before = all.info.group_ptr.back();
    if (group.n_rows < 0 || group.n_rows > rows.n_rows - before) FailParcel("a query group of too many rows");
    all.info.group_ptr.push_back(before + group.n_rows);
    all.info.weights.push_back(group.weight);
  }
  if (all.info.group_ptr.back() != rows.n_rows) FailParcel("query groups of too few rows");
  return all;
}

}  // namespace kauri
