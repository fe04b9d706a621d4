#include "metric/query_groups.h"

#include <array>

#include "collective/reduce.h"
#include "common/lane_sum.h"
#include "kauri/error.h"
#include "metric/inputs.h"

namespace kauri {
namespace {

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
  return SumInOrder(IsDistributed(ctx) ? GatherByGroup(ctx, order, scores) : scores);
}

}  // namespace kauri
