#include "booster/model_io/flat_lists.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace kauri::model_io {

void FlatSums::Append(std::vector<LabelSum> const& sums, std::int64_t n_numbers) {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    labels.push_back(sums[i].labels);
    if (i % ToSize(n_numbers) == 0) weights.push_back(sums[i].weights);
  }
}

std::vector<LabelSum> FlatSums::Of(std::int64_t begin, std::int64_t end, std::int64_t n_numbers) const {
  std::vector<LabelSum> sums;
  sums.reserve(ToSize((end - begin) * n_numbers));
  for (auto category = begin; category < end; ++category) {
    for (std::int64_t number = 0; number < n_numbers; ++number) {
      sums.push_back({labels[category * n_numbers + number], weights[category]});
    }
  }
  return sums;
}

void WriteSums(FlatSums const& sums, JsonWriter* writer) {
  WriteList("labels", sums.labels, writer);
  WriteList("weights", sums.weights, writer);
}

FlatSums ReadSums(ObjectReader const& reader, std::size_t n_categories, std::int64_t n_numbers) {
  FlatSums sums{reader.TakeInt64("labels"), reader.TakeInt64("weights")};
  auto const n_labels = sums.labels.size();
  auto const is_full = n_labels % ToSize(n_numbers) == 0 && n_labels / ToSize(n_numbers) == n_categories;
  if (!is_full || sums.weights.size() != n_categories) {
    reader.FailAt("labels", "and 'weights' are ", n_labels, " and ", sums.weights.size(), " numbers; expected ",
                  n_categories, ", one per category", n_numbers > 1 ? ", of labels one per class" : "");
  }
  auto const& weights = sums.weights;
  if (std::any_of(weights.begin(), weights.end(), [](std::int64_t weight) { return weight < 0; })) {
    reader.FailAt("weights", "has a number below 0");
  }
  return sums;
}

std::size_t FindNotFinite(std::vector<LabelSum> const& sums, OrderedEncoding const& encoding) {
  auto const n_numbers = ToSize(encoding.settings.n_numbers);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (!std::isfinite(encoding.ValueOf(sums[i], static_cast<std::int64_t>(i % n_numbers)))) return i / n_numbers;
  }
  return sums.size() / n_numbers;
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
