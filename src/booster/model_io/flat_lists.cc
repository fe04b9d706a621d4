#include "booster/model_io/flat_lists.h"

#include <algorithm>
#include <functional>

namespace kauri::model_io {

void AppendSums(std::vector<LabelSum> const& sums, std::vector<std::int64_t>* labels,
                std::vector<std::int64_t>* weights) {
  for (auto const& sum : sums) {
    labels->push_back(sum.labels);
    weights->push_back(sum.weights);
  }
}

void CheckSums(ObjectReader const& reader, std::vector<std::int64_t> const& labels,
               std::vector<std::int64_t> const& weights, std::size_t n_values) {
  if (labels.size() != n_values || weights.size() != n_values) {
    reader.FailAt("labels", "and 'weights' are ", labels.size(), " and ", weights.size(), " numbers; expected ",
                  n_values, ", one per category");
  }
  if (std::any_of(weights.begin(), weights.end(), [](std::int64_t weight) { return weight < 0; })) {
    reader.FailAt("weights", "has a number below 0");
  }
}

void CheckSegments(ObjectReader const& reader, std::vector<std::int64_t> const& segments, std::size_t n_columns,
                   std::size_t n_values) {
  auto const rises = std::adjacent_find(segments.begin(), segments.end(), std::greater_equal<>()) == segments.end();
  if (segments.size() == n_columns + 1 && segments.front() == 0 && rises &&
      segments.back() == static_cast<std::int64_t>(n_values)) {
    return;
  }
  reader.FailAt("segments", "does not ascend from 0 to ", n_values, " over ", n_columns, " columns");
}

}  // namespace kauri::model_io
