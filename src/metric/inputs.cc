#include "metric/inputs.h"

#include <cmath>

#include "kauri/error.h"

namespace kauri {

std::int64_t CheckPredictions(std::string const& metric, Span<float const> predictions, MetaInfo const& info) {
  auto const n_rows = static_cast<std::size_t>(info.n_rows);
  if (info.labels.size() != n_rows * static_cast<std::size_t>(info.n_targets)) {
    Fail(ErrorKind::kData, metric, ": ", info.labels.size(), " labels for ", info.n_rows, " rows and ", info.n_targets,
         " targets; set exactly one label per row and target");
  }
  if (n_rows == 0) return 1;
  if (predictions.empty() || predictions.size() % n_rows != 0) {
    Fail(ErrorKind::kData, metric, ": ", predictions.size(), " predictions for ", info.n_rows,
         " rows; evaluate on the data that was predicted");
  }
  return static_cast<std::int64_t>(predictions.size() / n_rows);
}

std::int64_t CheckInputs(std::string const& metric, Span<float const> predictions, MetaInfo const& info) {
  auto const n_outputs = CheckPredictions(metric, predictions, info);
  if (!info.weights.empty() && info.weights.size() != static_cast<std::size_t>(info.n_rows)) {
    Fail(ErrorKind::kData, metric, ": ", info.weights.size(), " weights for ", info.n_rows,
         " rows; set exactly one weight per row, or none");
  }
  return n_outputs;
}

void CheckClassLabels(std::string const& metric, MetaInfo const& info, std::int64_t n_classes) {
  if (info.n_targets != 1) {
    Fail(ErrorKind::kData, metric, ": ", info.n_targets, " label columns; give one column with the class of each row");
  }
  auto const bound = static_cast<float>(n_classes);
  for (std::size_t row = 0; row < info.labels.size(); ++row) {
    auto const label = info.labels[row];
    if (label >= 0.0F && label < bound && std::floor(label) == label) continue;
    Fail(ErrorKind::kData, metric, ": label ", label, " of row ", row, " is not a whole number from 0 to ",
         n_classes - 1, "; number the classes from 0");
  }
}

}  // namespace kauri
