/// \file Leaf weights and split gains in float64 from fixed-point sums: the one place where they are computed, on both
/// sides.
///
/// XGBoost's formulas (Chen & Guestrin 2016, equations 5-7, with L1 and max_delta_step as its implementation has them):
///   weight = -ThresholdL1(G, alpha) / (H + lambda), clipped to +-max_delta_step when that is positive
///   gain   = ThresholdL1(G, alpha)^2 / (H + lambda)            when max_delta_step is 0
///          = -(2 G w + (H + lambda) w^2)                        otherwise
///   loss change of a split = gain(left) + gain(right) - gain(parent)
/// With monotone constraints the weights are also clipped to the bounds of their node, the gain is always the second
/// form, and a split whose children's weights are in the wrong order has none.
/// Compiled with contraction off everywhere, so the same integers give the same bits.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

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
  bool monotone = false;  ///< there are monotone constraints, be they all 0
};

/// A named constant, as device code may not call what makes it.
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What the weights in a node may be; no limit unless there are monotone constraints.
struct WeightBounds {
  double lower = -kInfinity;
  double upper = kInfinity;
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

/// What a leaf of this weight gains; `sum` has a positive hessian.
KAURI_HD double GainOfWeight(FixedSum sum, double weight, GainParam const& param) {
  return -(2.0 * GradientOf(sum, param) * weight + (HessianOf(sum, param) + param.lambda) * weight * weight);
}

/// Gain of a node as a leaf; 0 when its hessian is not positive. Without monotone constraints.
KAURI_HD double LeafGain(FixedSum sum, GainParam const& param) {
  double const hessian = HessianOf(sum, param);
  if (hessian <= 0.0) return 0.0;
  if (param.max_delta_step == 0.0) {
    double const gradient = ThresholdL1(GradientOf(sum, param), param.alpha);
    return gradient * gradient / (hessian + param.lambda);
  }
  return GainOfWeight(sum, LeafWeight(sum, param), param);
}

/// LeafWeight within the bounds.
KAURI_HD double NodeWeight(FixedSum sum, GainParam const& param, WeightBounds const& bounds) {
  double const weight = LeafWeight(sum, param);
  if (weight < bounds.lower) return bounds.lower;
  return weight > bounds.upper ? bounds.upper : weight;
}

/// Gain of a node as a leaf whose weight is within the bounds.
KAURI_HD double NodeGain(FixedSum sum, GainParam const& param, WeightBounds const& bounds) {
  if (!param.monotone) return LeafGain(sum, param);
  return HessianOf(sum, param) <= 0.0 ? 0.0 : GainOfWeight(sum, NodeWeight(sum, param, bounds), param);
}

/// gain(left) + gain(right) of children that have enough hessian, in a node with these bounds. `sign` is the feature's
/// monotone constraint: with 1 the left weight must not be above the right one, with -1 not below it; minus infinity
/// otherwise.
KAURI_HD double SplitGain(FixedSum left, FixedSum right, GainParam const& param, WeightBounds const& bounds, int sign) {
  if (!param.monotone) return LeafGain(left, param) + LeafGain(right, param);
  double const weight_l = NodeWeight(left, param, bounds);
  double const weight_r = NodeWeight(right, param, bounds);
  if ((weight_l - weight_r) * sign > 0.0) return -kInfinity;
  return GainOfWeight(left, weight_l, param) + GainOfWeight(right, weight_r, param);
}

/// Whether the gain of a leaf is ThresholdL1(G, alpha)^2 / (H + lambda).
KAURI_HD bool GainIsQuotient(GainParam const& param) { return param.max_delta_step == 0.0 && !param.monotone; }

/// The alpha with which that quotient is at least the gain, whatever the weight: G^2 / (H + lambda) is its maximum.
KAURI_HD double ScreeningAlpha(GainParam const& param) { return GainIsQuotient(param) ? param.alpha : 0.0; }

/// What gain(left) + gain(right), computed in any order, must reach for a loss change that can equal `loss_change`:
/// less by far more than the rounding of either.
KAURI_HD double ScreeningBound(double loss_change, double node_gain) {
  return loss_change + node_gain - 1e-12 * (std::fabs(loss_change) + std::fabs(node_gain));
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
