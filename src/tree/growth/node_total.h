/// \file What the search for splits needs to know of a node whose leaves hold numbers.
#pragma once

#include <cstdint>

#include "kauri/gradient.h"
#include "kauri/span.h"
#include "tree/categories/category_split.h"
#include "tree/split_gain.h"

namespace kauri {

struct NodeTotal {
  FixedSum sum;
  double gain = 0.0;  ///< NodeGain(sum)
  WeightBounds bounds = {};
  Span<std::int8_t const> signs = {};  ///< [n_features]: monotone constraints; empty: none
  CategoryRules categories = {};
};

}  // namespace kauri
