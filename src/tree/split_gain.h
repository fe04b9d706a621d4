/// \file Leaf weights and split gains in float64 from fixed-point sums: the one place where they are computed, on both
/// sides.
///
/// XGBoost's formulas (Chen & Guestrin 2016, equations 5-7, with L1 and max_delta_step as its implementation has them):
///   weight = -ThresholdL1(G, alpha) / (H + lambda), clipped to +-max_delta_step when that is positive
///   gain   = ThresholdL1(G, alpha)^2 / (H + lambda)            when max_delta_step is 0
///          = -(2 G w + (H + lambda) w^2)                        otherwise
///   loss change of a split = gain(left) + gain(right) - gain(parent)
/// Compiled with contraction off everywhere, so the same integers give the same bits.
#pragma once

#include <cmath>
#include <cstdint>

#include "kauri/gradient.h"
#include "kauri/host_device.h"

namespace kauri {

/// A split must reduce the loss by more than this (XGBoost's kRtEps).
constexpr float kMinLossChange = 1e-6F;

/// The regularisation, plain enough to be passed to a kernel by value.
struct GainParam {
  double lambda = 1.0;
  double alpha = 0.0;
  double max_delta_step = 0.0;
  double min_child_weight = 1.0;
  GradientUnit unit;
};

KAURI_HD double ThresholdL1(double gradient, double alpha) {
  if (gradient > alpha) return gradient - alpha;
  if (gradient < -alpha) return gradient + alpha;
  return 0.0;
}

KAURI_HD double HessianOf(FixedSum sum, GainParam const& param) {
  return static_cast<double>(sum.hessian) * param.unit.hessian;
}

KAURI_HD double GradientOf(FixedSum sum, GainParam const& param) {
  return static_cast<double>(sum.gradient) * param.unit.gradient;
}

/// Weight of a node before the learning rate; 0 when its hessian is 0 or below min_child_weight.
KAURI_HD double LeafWeight(FixedSum sum, GainParam const& param) {
  double const hessian = HessianOf(sum, param);
  if (hessian < param.min_child_weight || hessian <= 0.0) return 0.0;
  double weight = -ThresholdL1(GradientOf(sum, param), param.alpha) / (hessian + param.lambda);
  if (param.max_delta_step != 0.0) {
    if (weight > param.max_delta_step) weight = param.max_delta_step;
    if (weight < -param.max_delta_step) weight = -param.max_delta_step;
  }
  return weight;
}

/// Gain of a node as a leaf; 0 when its hessian is not positive.
KAURI_HD double LeafGain(FixedSum sum, GainParam const& param) {
  double const hessian = HessianOf(sum, param);
  if (hessian <= 0.0) return 0.0;
  if (param.max_delta_step == 0.0) {
    double const gradient = ThresholdL1(GradientOf(sum, param), param.alpha);
    return gradient * gradient / (hessian + param.lambda);
  }
  double const weight = LeafWeight(sum, param);
  return -(2.0 * GradientOf(sum, param) * weight + (hessian + param.lambda) * weight * weight);
}

KAURI_HD bool HasEnoughHessian(FixedSum sum, GainParam const& param) {
  return sum.hessian > 0 && HessianOf(sum, param) >= param.min_child_weight;
}

/// The best split seen so far of a node.
struct SplitCandidate {
  double loss_change = 0.0;
  std::uint32_t feature = 0xFFFFFFFFU;
  float threshold = 0.0F;
  bool default_left = false;
  FixedSum left;  ///< with the missing rows when default_left
  FixedSum right;

  KAURI_HD bool IsValid() const { return feature != 0xFFFFFFFFU; }
};

/// The order of design D5: larger loss change, then lower feature, then missing to the right, then the threshold that a
/// scan from the other end meets first: the lowest with missing to the right, the highest with missing to the left
/// (XGBoost keeps the first of equals, and scans upwards for missing right, downwards for missing left). A total order,
/// so the best of a set does not depend on the order of its elements.
KAURI_HD bool IsBetter(SplitCandidate const& a, SplitCandidate const& b) {
  if (a.IsValid() != b.IsValid()) return a.IsValid();
  if (a.loss_change != b.loss_change) return a.loss_change > b.loss_change;
  if (a.feature != b.feature) return a.feature < b.feature;
  if (a.default_left != b.default_left) return b.default_left;
  return a.default_left ? a.threshold > b.threshold : a.threshold < b.threshold;
}

/// The threshold between two neighbouring values low < high: their float32 midpoint, or `high` when that rounds to
/// `low`, so that low < threshold <= high always holds. No overflow for finite values.
KAURI_HD float MidpointThreshold(float low, float high) {
  float const middle = low * 0.5F + high * 0.5F;
  return middle > low && middle <= high ? middle : high;
}

}  // namespace kauri
