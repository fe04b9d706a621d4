#include "objective/all_groups.h"

#include "collective/parcel.h"
#include "collective/query_order.h"
#include "kauri/error.h"

namespace kauri {
namespace {

struct NumberedGroup {
  std::int64_t number;
  std::int64_t n_rows;
};

Parcel Pack(MetaInfo const& info, QueryOrder const& order) {
  std::vector<NumberedGroup> groups;
  for (std::int64_t group = 0; group < order.NumMine(); ++group) {
    groups.push_back({order.Number(group), info.group_ptr[group + 1] - info.group_ptr[group]});
  }
  Parcel parcel;
  parcel.Add(groups);
  parcel.Add(info.weights);
  return parcel;
}

}  // namespace

AllLabels GatherGroups(Context const& ctx, MetaInfo const& info, Span<float const> margins) {
  QueryOrder const order(ctx, info);
  auto rows = GatherRows(ctx, info, {{"labels", info.labels}, {"margins", margins}});
  AllLabels all;
  all.info.n_rows = rows.n_rows;
  all.info.labels = std::move(rows.columns[0]);
  all.values = std::move(rows.columns[1]);
  std::vector<std::int64_t> sizes(ToSize(order.NumGroups()));
  std::vector<float> weights(sizes.size(), 1.0F);
  for (auto& of_rank : GatherParcels(ctx, Pack(info, order))) {
    auto const groups = of_rank.Take<NumberedGroup>();
    auto const given = of_rank.Take<float>();
    for (std::size_t i = 0; i < groups.size(); ++i) {
      auto const number = ToSize(groups[i].number);
      sizes.at(number) = groups[i].n_rows;
      if (!given.empty()) weights.at(number) = given.at(i);
    }
  }
  all.info.weights = std::move(weights);
  all.info.group_ptr = {0};
  for (auto const size : sizes) all.info.group_ptr.push_back(all.info.group_ptr.back() + size);
  return all;
}

}  // namespace kauri
