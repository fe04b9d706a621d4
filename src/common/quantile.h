/// \file Exact quantiles of samples, as XGBoost defines them.
#pragma once

#include <cstdint>

#include "kauri/span.h"

namespace kauri {

struct WeightedValue {
  float value;
  float weight;
};

/// The q-quantile of n >= 1 values: the value at place q (n + 1) of their order, counted from 1, between two places on
/// the line through both values; below place 1 the smallest, above place n the largest value. Reorders `values`.
/// Costs O(n).
float Quantile(Span<float> values, float q);

/// The smallest value such that it and all below it have the share q of the weight or more; without any weight the
/// smallest. Sorts the n >= 1 values.
float Quantile(Span<WeightedValue> values, float q);

}  // namespace kauri
