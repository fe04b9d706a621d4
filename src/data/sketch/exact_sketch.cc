#include "data/sketch/exact_sketch.h"

#include <cmath>

#include "data/sketch/gk_sketch.h"

namespace kauri {

void ExactSketch::Append(float value, float weight) {
  if (std::isnan(value) || !(weight > 0.0F)) return;
  if (weights_.empty() && weight != 1.0F) weights_.assign(values_.size(), 1.0F);
  if (!weights_.empty() || weight != 1.0F) weights_.push_back(weight);
  values_.push_back(value);
}

void ExactSketch::Add(Span<float const> values, Span<float const> weights) {
  for (std::size_t i = 0; i < values.size(); ++i) Append(values[i], weights.empty() ? 1.0F : weights[i]);
}

void ExactSketch::Merge(ColumnSketch const& other) {
  auto const& sketch = static_cast<ExactSketch const&>(other);
  Add(sketch.values_, sketch.weights_);
}

ColumnRanks ExactSketch::Ranks() const { return RanksOf(ExactSummary(values_, weights_)); }

}  // namespace kauri
