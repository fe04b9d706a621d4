/// \file Which splits are made and which nodes are worth a search, for both sides.
#pragma once

#include "kauri/host_device.h"
#include "tree/split_gain.h"

namespace kauri {

/// Whether a split is worth making: its loss change, rounded to float32, exceeds kMinLossChange.
KAURI_HD bool ReducesLoss(SplitCandidate const& candidate) {
  return candidate.IsValid() && static_cast<float>(candidate.loss_change) > kMinLossChange;
}

/// Whether a node with this hessian could have two children that both have min_child_weight. It only saves work, and
/// never decides a split: two hessians that reach min_child_weight have a sum of at least kBelowTwice times that,
/// however all three are rounded. A hessian is off by at most two roundings of 2^-53 (a sum of more than 2^53 steps,
/// and its product with the unit); the sum over the outputs of a vector by one more for each of them.
KAURI_HD bool IsEnoughForTwo(double hessian, double min_child_weight) {
  constexpr double kBelowTwice = 2.0 * (1.0 - 1e-9);
  return hessian > 0.0 && hessian >= kBelowTwice * min_child_weight;
}

/// The same of a sum: both children have a step of the fixed point at least.
KAURI_HD bool IsEnoughForTwo(FixedSum sum, GainParam const& gain) {
  return sum.hessian > 1 && IsEnoughForTwo(HessianOf(sum, gain), gain.min_child_weight);
}

}  // namespace kauri
