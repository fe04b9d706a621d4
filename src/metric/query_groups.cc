#include "metric/query_groups.h"

#include "kauri/error.h"
#include "metric/inputs.h"

namespace kauri {

QueryGroups::QueryGroups(std::string const& metric, Span<float const> predictions, MetaInfo const& info) : info_(info) {
  auto const n_outputs = CheckPredictions(metric, predictions, info);
  if (n_outputs != 1 || info.n_targets != 1) {
    Fail(ErrorKind::kData, metric, ": ", n_outputs, " predictions and ", info.n_targets,
         " labels per row; a ranking has one of each");
  }
  if (!info.weights.empty() && static_cast<std::int64_t>(info.weights.size()) != Count()) {
    Fail(ErrorKind::kData, metric, ": ", info.weights.size(), " weights for ", Count(),
         info.group_ptr.empty() ? " query group (none are given, so all rows are one)" : " query groups",
         "; set exactly one weight per group, or none");
  }
}

bool AreQueryGroups(MetaInfo const& info, std::int64_t n_outputs) {
  auto const n_groups = info.group_ptr.empty() ? 1 : info.group_ptr.size() - 1;
  return n_outputs == 1 && info.n_targets == 1 && info.labels.size() == static_cast<std::size_t>(info.n_rows) &&
         (info.weights.empty() || info.weights.size() == n_groups);
}

}  // namespace kauri
