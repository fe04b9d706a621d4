#include "objective/ranking/all_groups.h"

#include "collective/parcel.h"
#include "collective/query_order.h"
#include "kauri/error.h"

namespace kauri {
namespace {

struct Group {
  std::int64_t n_rows;
  double weight;  ///< holds a float32
};

std::vector<Group> GroupsOf(MetaInfo const& info, QueryOrder const& order) {
  std::vector<Group> groups;
  for (std::int64_t group = 0; group < order.NumMine(); ++group) {
    groups.push_back({info.group_ptr[group + 1] - info.group_ptr[group], static_cast<double>(info.Weight(group))});
  }
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
  for (auto const& group : GatherByGroup(ctx, order, GroupsOf(info, order))) {
    auto const before = all.info.group_ptr.back();
    if (group.n_rows < 0 || group.n_rows > rows.n_rows - before)
      FailParcel("the query groups have more rows than the data");
    all.info.group_ptr.push_back(before + group.n_rows);
    all.info.weights.push_back(static_cast<float>(group.weight));
  }
  if (all.info.group_ptr.back() != rows.n_rows) FailParcel("the query groups have fewer rows than the data");
  return all;
}

}  // namespace kauri
