/// \file Decides which splits are made and which nodes are worth a search, on the CPU and on CUDA devices.
#pragma once

#include "kauri/host_device.h"
#include "tree/split_gain.h"

namespace kauri {

/// Returns whether a split is worth making: its loss change, rounded to float32, exceeds kMinLossChange.
KAURI_HD bool ReducesLoss(SplitCandidate const& candidate) {
  return candidate.IsValid() && static_cast<float>(candidate.loss_change) > kMinLossChange;
}

/// Returns whether a node with this hessian could have two children that both have min_child_weight. This only saves
/// work and never decides a split: if two hessians reach min_child_weight, their sum is at least kBelowTwice times
/// min_child_weight, however all three are rounded. A hessian is off by at most two roundings of 2^-53 (a sum of more
/// than 2^53 steps, and its product with the unit). The sum over the outputs of a vector has one more rounding per
/// output.
KAURI_HD bool IsEnoughForTwo(double hessian, double min_child_weight) {
  constexpr double kBelowTwice = 2.0 * (1.0 - 1e-9);
  return hessian > 0.0 && hessian >= kBelowTwice * min_child_weight;
}

/// Does the same for a sum: both children have at least one fixed-point step of hessian.
KAURI_HD bool IsEnoughForTwo(FixedSum sum, GainParam const& gain) {
  return sum.hessian > 1 && IsEnoughForTwo(HessianOf(sum, gain), gain.min_child_weight);
}

}  // namespace kauri
