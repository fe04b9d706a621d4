#include "common/quantile.h"

#include <algorithm>
#include <cmath>

namespace kauri {

float Quantile(Span<float> values, float q) {
  auto const n = static_cast<double>(values.size());
  auto const place = std::clamp(static_cast<double>(q) * (n + 1.0), 1.0, n);
  auto const lower = std::floor(place);
  auto* const at = values.begin() + static_cast<std::ptrdiff_t>(lower) - 1;
  std::nth_element(values.begin(), at, values.end());
  if (place == lower) return *at;
  auto const low = static_cast<double>(*at);
  auto const high = static_cast<double>(*std::min_element(at + 1, values.end()));
  return static_cast<float>(low + (place - lower) * (high - low));
}

float Quantile(Span<WeightedValue> values, float q) {
  std::sort(values.begin(), values.end(), [](WeightedValue const& a, WeightedValue const& b) {
    return a.value < b.value || (a.value == b.value && a.weight < b.weight);
  });
  double total = 0.0;
  for (auto const& item : values) total += static_cast<double>(item.weight);
  // Rounded, so that a weight of 1 reaches the fraction 0.1 of a weight of 10, although float32 does not hold 0.1
  // exactly.
  auto const share = static_cast<float>(static_cast<double>(q) * total);
  double below = 0.0;
  for (auto const& item : values) {
    below += static_cast<double>(item.weight);
    if (static_cast<float>(below) >= share) return item.value;
  }
  return values[values.size() - 1].value;
}

}  // namespace kauri
