/// \file What a split has to gain where columns cost something (feature_cost.h): on both sides.
#pragma once

#include <cstdint>

#include "kauri/host_device.h"
#include "kauri/span.h"

namespace kauri {

/// The gain of a node, and the cost of splitting it at the feature: what its children must gain before its loss changes
/// for the better. costs: [n_features], open; nullptr: none.
KAURI_HD double AddCost(double node_gain, float const* costs, std::uint32_t feature) {
  return costs == nullptr ? node_gain : node_gain + static_cast<double>(costs[feature]);
}

/// The same; empty: none.
inline double AddCost(double node_gain, Span<float const> costs, std::uint32_t feature) {
  return AddCost(node_gain, costs.empty() ? nullptr : costs.data(), feature);
}

}  // namespace kauri
