#include "metric/inputs.h"

#include <cmath>

#include "collective/reduce.h"
#include "collective/row_ranges.h"
#include "common/loss/label_elements.h"
#include "kauri/error.h"

namespace kauri {

void CheckLabelCount(std::string const& metric, MetaInfo const& info) {
  if (static_cast<std::int64_t>(info.labels.size()) == info.n_rows * info.n_targets) return;
  Fail(ErrorKind::kData, metric, ": ", info.labels.size(), " labels for ", info.n_rows, " rows and ", info.n_targets,
       " targets; set exactly one label per row and target");
}

void CheckInputs(std::string const& metric, MetaInfo const& info) {
  CheckLabelCount(metric, info);
  if (info.weights.empty() || static_cast<std::int64_t>(info.weights.size()) == info.n_rows) return;
  Fail(ErrorKind::kData, metric, ": ", info.weights.size(), " weights for ", info.n_rows,
       " rows; set exactly one weight per row, or none");
}

void RequireKnownLabels(Context const& ctx, std::string const& metric, MetaInfo const& info) {
  auto const n_labels = SumOverRanks(ctx, static_cast<std::int64_t>(info.labels.size()));
  if (SumOverRanks(ctx, CountKnown(info)) > 0 || n_labels == 0) return;
  Fail(ErrorKind::kData, metric, ": all ", n_labels, " labels are NaN, so there is nothing to compare predictions ",
       "with; evaluate on rows of which some label is known");
}

std::int64_t OutputsPerRow(std::string const& metric, Span<float const> predictions, MetaInfo const& info) {
  CheckLabelCount(metric, info);
  if (info.n_rows == 0) return 1;
  auto const n_predictions = static_cast<std::int64_t>(predictions.size());
  if (n_predictions == 0 || n_predictions % info.n_rows != 0) {
    Fail(ErrorKind::kData, metric, ": ", n_predictions, " predictions for ", info.n_rows,
         " rows; evaluate on the data that was predicted");
  }
  return n_predictions / info.n_rows;
}

void CheckClassLabels(std::string const& metric, MetaInfo const& info, std::int64_t n_classes) {
  if (info.n_targets != 1) {
    Fail(ErrorKind::kData, metric, ": ", info.n_targets, " label columns; give one column with the class of each row");
  }
  auto const bound = static_cast<float>(n_classes);
  for (std::size_t row = 0; row < info.labels.size(); ++row) {
    auto const label = info.labels[row];
    if (label >= 0.0F && label < bound && std::floor(label) == label) continue;
    Fail(ErrorKind::kData, metric, ": label ", label, " of row ", GlobalRow(info, static_cast<std::int64_t>(row)),
         " is not a whole number from 0 to ", n_classes - 1, "; number the classes from 0");
  }
}

}  // namespace kauri
