#include "metric/query_groups.h"

#include "kauri/error.h"
#include "metric/inputs.h"

namespace kauri {

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

}  // namespace kauri
