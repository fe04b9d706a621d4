/// \file The weighted mean that most metrics compute.
#pragma once

#include "kauri/host_device.h"

namespace kauri {

/// A weighted sum of losses with the sum of the weights.
struct WeightedSum {
  double loss = 0.0;
  double weight = 0.0;

  KAURI_HD WeightedSum& operator+=(WeightedSum other) {
    loss += other.loss;
    weight += other.weight;
    return *this;
  }
  /// Returns the weighted mean, or the sum itself if the total weight is 0.
  double Mean() const { return weight == 0.0 ? loss : loss / weight; }
};

}  // namespace kauri
