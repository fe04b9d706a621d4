/// \file Exact quantiles of samples, as XGBoost defines them.
#pragma once

#include <cstdint>

#include "kauri/span.h"

namespace kauri {

struct WeightedValue {
  float value;
  float weight;
};

/// Returns the q-quantile of n >= 1 values: the value at rank q (n + 1), counted from 1, interpolated linearly between
/// neighbours; below rank 1 the smallest, above rank n the largest value. Reorders `values`. Costs O(n).
float Quantile(Span<float> values, float q);

/// Returns the smallest value such that the values up to it have at least the fraction q of the weight; without any
/// weight the smallest value. Sorts the n >= 1 values.
float Quantile(Span<WeightedValue> values, float q);

}  // namespace kauri
