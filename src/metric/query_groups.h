/// \file The query groups of a data set, for ranking metrics.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collective/query_order.h"
#include "common/weighted_sum.h"
#include "kauri/context.h"
#include "kauri/meta_info.h"

namespace kauri {

/// Groups of consecutive rows; without groups all rows are one group. Not owning.
class QueryGroups {
 public:
  explicit QueryGroups(MetaInfo const& info) : info_(info) {}

  /// \throws Error(kData) unless rows have one label and one prediction each, and groups one weight each or none.
  void Validate(std::string const& metric, std::int64_t n_outputs) const;

  std::int64_t Count() const {
    return info_.group_ptr.empty() ? 1 : static_cast<std::int64_t>(info_.group_ptr.size()) - 1;
  }
  std::int64_t Begin(std::int64_t group) const { return info_.group_ptr.empty() ? 0 : Bound(group); }
  std::int64_t End(std::int64_t group) const { return info_.group_ptr.empty() ? info_.n_rows : Bound(group + 1); }
  std::int64_t Size(std::int64_t group) const { return End(group) - Begin(group); }
  float Weight(std::int64_t group) const { return info_.Weight(group); }

 private:
  std::int64_t Bound(std::int64_t place) const { return info_.group_ptr[place]; }

  MetaInfo const& info_;
};

/// Returns whether there are query groups, on all ranks; ranks without rows follow the others. \throws Error(kData) if
/// some ranks have groups and others do not.
bool HaveQueryGroups(Context const& ctx, MetaInfo const& info);

/// Returns the sum of the scores of the groups of all ranks, in the order of the groups, added in lanes
/// (common/lane_sum.h). scores: this rank's scores, [order.NumMine()]. With several ranks it costs one call of Gather:
/// 24 bytes per group.
WeightedSum SumGroupScores(Context const& ctx, QueryOrder const& order, std::vector<WeightedSum> const& scores);

}  // namespace kauri
