/// \file The gain that a split must exceed if columns have costs (feature_cost.h). Used on the CPU and on CUDA devices.
#pragma once

#include <cstdint>

#include "kauri/host_device.h"
#include "kauri/span.h"

namespace kauri {

/// Returns the gain of a node plus the cost of splitting at the feature. The children must exceed this gain to reduce
/// the loss. costs: open costs, [n_features]; nullptr if there are none.
KAURI_HD double AddCost(double node_gain, float const* costs, std::uint32_t feature) {
  return costs == nullptr ? node_gain : node_gain + static_cast<double>(costs[feature]);
}

/// Does the same; an empty span means no costs.
inline double AddCost(double node_gain, Span<float const> costs, std::uint32_t feature) {
  return AddCost(node_gain, costs.empty() ? nullptr : costs.data(), feature);
}

}  // namespace kauri
