#include "metric/query_groups.h"

#include <algorithm>
#include <array>

#include "collective/parcel.h"
#include "collective/reduce.h"
#include "common/lane_sum.h"
#include "kauri/error.h"
#include "metric/inputs.h"

namespace kauri {
namespace {

/// The score of a group with its number among those of all ranks.
struct NumberedScore {
  std::int64_t number;
  WeightedSum score;
};

WeightedSum SumInOrder(std::vector<WeightedSum> const& scores) {
  return SumInLanes<WeightedSum>(static_cast<std::int64_t>(scores.size()),
                                 [&](std::int64_t group) { return scores[group]; });
}

}  // namespace

void QueryGroups::Validate(std::string const& metric, std::int64_t n_outputs) const {
  CheckLabelCount(metric, info_);
  if (n_outputs != 1 || info_.n_targets != 1) {
    Fail(ErrorKind::kData, metric, ": ", n_outputs, " predictions and ", info_.n_targets,
         " labels per row; a ranking has one of each");
  }
  if (!info_.weights.empty() && static_cast<std::int64_t>(info_.weights.size()) != Count()) {
    Fail(ErrorKind::kData, metric, ": ", info_.weights.size(), " weights for ", Count(),
         info_.group_ptr.empty() ? " query group (none are given, so all rows are one)" : " query groups",
         "; set exactly one weight per group, or none");
  }
}

bool HaveQueryGroups(Context const& ctx, MetaInfo const& info) {
  if (!IsDistributed(ctx)) return !info.group_ptr.empty();
  auto const with = info.n_rows > 0 && !info.group_ptr.empty();
  auto const without = info.n_rows > 0 && info.group_ptr.empty();
  std::array<std::uint64_t, 2> some{with ? 1U : 0U, without ? 1U : 0U};
  MaxOverRanks(ctx, {some.data(), some.size()});
  if (some[0] == 1U && some[1] == 1U) {
    Fail(ErrorKind::kData, "some ranks have query groups, others have rows without groups; set qid or group on all");
  }
  return some[0] == 1U;
}

WeightedSum SumGroupScores(Context const& ctx, QueryOrder const& order, std::vector<WeightedSum> const& scores) {
  if (!IsDistributed(ctx)) return SumInOrder(scores);
  std::vector<NumberedScore> mine;
  for (std::int64_t group = 0; group < order.NumMine(); ++group) mine.push_back({order.Number(group), scores[group]});
  Parcel parcel;
  parcel.Add(mine);
  std::vector<NumberedScore> all;
  for (auto& of_rank : GatherParcels(ctx, parcel)) {
    auto const given = of_rank.Take<NumberedScore>();
    all.insert(all.end(), given.begin(), given.end());
  }
  std::sort(all.begin(), all.end(), [](auto const& a, auto const& b) { return a.number < b.number; });
  std::vector<WeightedSum> sums;
  for (auto const& [number, score] : all) {
    if (number != static_cast<std::int64_t>(sums.size())) FailParcel("query group " + std::to_string(number));
    sums.push_back(score);
  }
  if (static_cast<std::int64_t>(sums.size()) != order.NumGroups()) FailParcel("scores of too few query groups");
  return SumInOrder(sums);
}

}  // namespace kauri
