/// \file The mean that most metrics are.
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
  /// The sum itself when there is no weight at all.
  double Mean() const { return weight == 0.0 ? loss : loss / weight; }
};

}  // namespace kauri
