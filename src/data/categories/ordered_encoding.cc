#include "kauri/ordered_encoding.h"

#include <algorithm>

namespace kauri {

double OrderedEncoding::Prior() const {
  if (total.weights <= 0) return 0.0;
  return static_cast<double>(total.labels) * label_unit / (static_cast<double>(total.weights) * weight_unit);
}

float OrderedEncoding::ValueOf(LabelSum rows) const {
  auto const prior = Prior();
  auto const mean_weight = static_cast<double>(total.weights) * weight_unit / static_cast<double>(n_rows);
  auto const prior_weight = static_cast<double>(settings.strength) * mean_weight;
  auto const weight = static_cast<double>(rows.weights) * weight_unit + prior_weight;
  if (!(weight > 0.0)) return static_cast<float>(prior);
  return static_cast<float>((static_cast<double>(rows.labels) * label_unit + prior * prior_weight) / weight);
}

float OrderedEncoding::ValueOf(std::size_t feature, std::int32_t category) const {
  auto const& column = columns[feature];
  auto const found = std::lower_bound(column.categories.begin(), column.categories.end(), category);
  if (found == column.categories.end() || *found != category) return ValueOf(LabelSum());
  return ValueOf(column.sums[static_cast<std::size_t>(found - column.categories.begin())]);
}

bool OrderedEncoding::operator==(OrderedEncoding const& other) const {
  return settings == other.settings && columns == other.columns && total == other.total && n_rows == other.n_rows &&
         label_unit == other.label_unit && weight_unit == other.weight_unit;
}

}  // namespace kauri
