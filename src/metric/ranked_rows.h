/// \file Rows in descending order of their predictions.
///
/// QueryGroups are the query groups of a data set, for ranking metrics.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collective/query_order.h"
#include "common/math.h"
#include "common/sums.h"
#include "kauri/context.h"
#include "kauri/host_device.h"
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
/// (common/sums.h). scores: this rank's scores, [order.NumMine()]. With several ranks it costs one call of Gather:
/// 24 bytes per group.
WeightedSum SumGroupScores(Context const& ctx, QueryOrder const& order, std::vector<WeightedSum> const& scores);

/// A row's weight, divided between the two classes by its label. Sorting needs no access to the original row.
struct RankedRow {
  std::uint32_t key;  ///< DescendingFloatKey of the prediction
  float positive;
  float negative;
};

/// Returns whether the key came from a NaN: infinities have the keys 0x007FFFFF and 0xFF800000, and NaNs lie beyond
/// them.
KAURI_HD bool IsNaNKey(std::uint32_t key) { return key < 0x007FFFFFU || key > 0xFF800000U; }

/// Sorts by key; rows with equal keys keep their order, so the result is the same for any number of threads.
/// Three stable passes over digits of 11 bits unless there are few rows; 12 bytes per row of scratch memory.
void SortRankedRows(Context const& ctx, std::vector<RankedRow>* rows);

}  // namespace kauri
